#!/usr/bin/python3
"""Opens report.html of benchmark kernels in a headless Chromium: no errors, accessible, and everything that can be operated works.

    tests/page/browser.py KERNEL...           these kernels, small
    tests/page/browser.py --every-kernel      all of them
    tests/page/browser.py --pictures FOLDER KERNEL...   also writes a picture of every section in both themes, to look at

Needs chromium, chromium-driver and python3-selenium; axe-core from report/node_modules, if it is there. Exit status 1 on a failure.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "python"))
from warpscope.result import results  # noqa: E402
from warpscope.show import page as report_page  # noqa: E402

BIN = pathlib.Path(os.environ.get("WARPSCOPE_BIN", SOURCE / "build" / "release" / "bin"))
AXE = SOURCE / "report" / "node_modules" / "axe-core" / "axe.min.js"
THEMES = ("light", "dark")
MOST_SECONDS = 1.0  # until the page is there
CLOCK = 10          # times as long as that on a busy machine is still no failure


def make_page(kernel, folder):
    """report.html of a kernel, with the counters of both clocks."""
    path = SOURCE / "benchmarks" / "kernels" / kernel / f"{kernel}.cl"
    done = subprocess.run([str(BIN / "warpscope"), str(path), "--size", "small", "--gpu", "h100", "--no-plots", "-o", str(folder)],
                          capture_output=True, text=True, check=False, timeout=300)
    if not (folder / "report.html").exists():
        raise AssertionError(f"{kernel}: warpscope: {done.stderr}")
    return report_page.make(results.load(folder / "result.json"), folder, folder / f"{kernel}.wtrace")  # with samples, which --no-plots leaves out


def start_browser(profile):
    options = Options()
    for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                 "--window-size=1440,1000", "--force-prefers-reduced-motion", f"--user-data-dir={profile}"):
        options.add_argument(word)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
    driver.set_script_timeout(120)  # axe on a busy machine
    return driver


class Page:
    """One page in the browser, and the checks of it."""

    def __init__(self, driver, path):
        self.driver = driver
        driver.get("about:blank")
        for log in ("browser", "performance"):  # what the browser asked for by itself
            driver.get_log(log)
        driver.get(path.resolve().as_uri())
        self.script("localStorage.clear()")
        driver.refresh()

    def script(self, text, *words):
        return self.driver.execute_script(text, *words)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector):
        found = self.all(selector)
        check(found, f"nothing matches {selector}")
        return found[0]

    def press(self, element):
        """As a user of the keyboard does: focus, then Enter."""
        self.script("arguments[0].scrollIntoView({block: 'center'}); arguments[0].focus({preventScroll: true})", element)
        check(self.script("return document.activeElement === arguments[0]", element), f"cannot be focused: {element.tag_name}")
        ActionChains(self.driver).send_keys(Keys.ENTER).perform()

    def pixels(self, selector):
        """The picture in a chart's canvas, as a number that changes with it."""
        return self.script("return document.querySelector(arguments[0] + ' canvas').toDataURL()", selector)

    def choose_theme(self, theme):
        self.script("const list = document.querySelector('header select'); list.value = arguments[0];"
                    "list.dispatchEvent(new Event('change', {bubbles: true}))", theme)
        wait(lambda: self.script("return document.documentElement.dataset.theme || 'system'") == theme, "the theme does not change")


def check(condition, message):
    if not condition:
        raise AssertionError(message)


def wait(condition, message, seconds=5):
    end = time.monotonic() + seconds
    while not condition():
        check(time.monotonic() < end, message)
        time.sleep(0.05)


def check_quiet(page):
    """No message of the console above a note, and nothing asked of a network."""
    loud = [one for one in page.driver.get_log("browser") if one["level"] in ("SEVERE", "WARNING")]
    check(not loud, f"console: {loud[:3]}")
    asked = [json.loads(one["message"])["message"] for one in page.driver.get_log("performance")]
    urls = {one["params"]["request"]["url"] for one in asked if one["method"] == "Network.requestWillBeSent"}
    check(all(url.startswith(("file:", "data:", "about:")) for url in urls), f"asked for {urls}")


def check_fast(page):
    seconds = page.script("const [one] = performance.getEntriesByType('navigation'); return one.loadEventEnd / 1000")
    check(seconds < CLOCK * MOST_SECONDS, f"opens in {seconds:.2f} s")
    return seconds


def check_accessible(page):
    if not AXE.exists():
        return
    for theme in THEMES:
        page.choose_theme(theme)
        page.script("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        page.script(AXE.read_text(encoding="utf-8"))
        found = page.driver.execute_async_script("const done = arguments[arguments.length - 1]; axe.run().then((result) => done(result.violations))")
        text = "; ".join(f"{one['id']} ({len(one['nodes'])}×): {one['nodes'][0]['html'][:140]} {one['nodes'][0]['failureSummary'][:200]}"
                         for one in found)
        check(not found, f"axe, {theme}: {text}")
    page.script("document.querySelectorAll('details').forEach((one) => { one.open = false; })")


def check_sort(page):
    """Headings sort by key, both ways, and say so."""
    table = page.one("#launches table") if len(page.all("#buffers tbody tr")) < 2 else page.one("#buffers table")
    heading = next(one for one in table.find_elements(By.CSS_SELECTOR, "th") if one.text.startswith("Transactions"))
    position = table.find_elements(By.CSS_SELECTOR, "thead th").index(heading) + 1
    for direction in ("ascending", "descending"):
        for _ in range(2):  # one press turns the direction
            if heading.get_attribute("aria-sort") != direction:
                page.press(heading.find_element(By.CSS_SELECTOR, "button.sort"))
        wait(lambda: heading.get_attribute("aria-sort") == direction, f"not sorted: {direction}")  # noqa: B023
        shown = [float(one.text.replace(",", "")) for one in table.find_elements(By.CSS_SELECTOR, f"tbody tr > :nth-child({position})")]
        check(shown == sorted(shown, reverse=direction == "descending"), f"not {direction}: {shown}")


def check_definition(page):
    """A number's meaning is one press away, and Escape goes back to where it was asked for."""
    button = page.one("#overview button.what")
    page.press(button)
    wait(lambda: page.all("dialog[open] h2"), "no definition opens")
    check(page.one("dialog[open] p").text, "the definition is empty")
    ActionChains(page.driver).send_keys(Keys.ESCAPE).perform()
    wait(lambda: not page.all("dialog[open]"), "the definition does not close")
    check(page.script("return document.activeElement === arguments[0]", button), "the focus does not come back")


def check_source(page):
    """Pointing shows a line's details, focus does too, choosing keeps them and marks the charts; a link goes to the line."""
    rows = page.all("#source tr.hot")
    if not rows:
        return
    number = rows[0].find_element(By.CSS_SELECTOR, "th button")
    page.script("arguments[0].scrollIntoView({block: 'center'})", rows[-1])
    ActionChains(page.driver).move_to_element(rows[-1].find_element(By.CSS_SELECTOR, "td.code")).perform()
    last = rows[-1].find_element(By.CSS_SELECTOR, "th").text
    wait(lambda: page.one(".detail h3").text.startswith(f"Line {last}"), "pointing at a line shows nothing")
    check(len(page.all(".detail .access")) >= 1, "no access in the details")
    page.script("arguments[0].focus()", number)
    first = number.text
    wait(lambda: page.one(".detail h3").text.startswith(f"Line {first}"), "focus on a line shows nothing")
    before = page.pixels("#pattern-chart") if page.all("#pattern-chart") else None
    page.press(number)
    check(number.get_attribute("aria-pressed") == "true", "the line is not chosen")
    if before is not None:
        wait(lambda: page.pixels("#pattern-chart") != before or "not in this sample" in page.one("#pattern .controls").text,
             "the access pattern does not mark the line")
    links = page.all("#buffers .lines button")
    if links:
        target = links[0].text
        page.press(links[0])
        wait(lambda: page.script("return document.activeElement.closest('tr')?.id ?? ''").endswith(f"-{target}"), "the link does not go to its line")


def check_zoom(page):
    """Buttons, keys and the mouse zoom into a chart over time, and back."""
    for chart in ("#pattern-chart", "#timeline-chart"):
        if page.all(chart):
            check_zoom_of(page, chart)


def check_zoom_of(page, chart):
    page.script("document.querySelector(arguments[0]).scrollIntoView({block: 'center'})", chart)
    shown = lambda: page.one(f"{chart} .zoom [role=status]").text  # noqa: E731
    whole = shown()
    buttons = {one.text: one for one in page.all(f"{chart} .zoom button")}
    page.press(buttons["Zoom in"])
    wait(lambda: shown() != whole, "the button does not zoom")
    page.press(buttons["Whole range"])
    wait(lambda: shown() == whole, "the whole range does not come back")
    plot = page.one(f"{chart} .plot")
    page.script("arguments[0].focus({preventScroll: true})", plot)
    ActionChains(page.driver).send_keys("+").perform()
    wait(lambda: shown() != whole, "the key does not zoom")
    closer = shown()
    ActionChains(page.driver).send_keys(Keys.ARROW_RIGHT).perform()
    wait(lambda: shown() != closer, "the key does not move")
    ActionChains(page.driver).send_keys("0").perform()
    wait(lambda: shown() == whole, "the key does not go back")
    over = page.one(f"{chart} .u-over")
    ActionChains(page.driver).move_to_element_with_offset(over, -100, 0).click_and_hold().move_by_offset(150, 0).release().perform()
    wait(lambda: shown() != whole, "dragging does not zoom")
    page.press(buttons["Whole range"])


def check_timeline(page):
    """Pointing at a warp's cycle says what it does there."""
    if not page.all("#timeline-chart"):
        return
    page.script("document.querySelector('#timeline-chart').scrollIntoView({block: 'center'})")
    over = page.one("#timeline-chart .u-over")
    ActionChains(page.driver).move_to_element_with_offset(over, -over.size["width"] // 2 + 12, -over.size["height"] // 2 + 12).perform()
    wait(lambda: page.one("#timeline .pointed").text.startswith("Cycle "), "pointing at a warp says nothing")


def check_roofline(page):
    """The other count has other marks."""
    lists = page.all("#roofline select")
    if not lists:
        return
    before = page.pixels("#roofline")
    page.script("arguments[0].value = 'instructions'; arguments[0].dispatchEvent(new Event('change', {bubbles: true}))", lists[0])
    wait(lambda: page.pixels("#roofline") != before, "the roofline does not change")


def check_memory(page):
    """The chart says what the page's data say, for the launch that is chosen, and does not leave a narrow window."""
    charts = page.script("return JSON.parse(document.getElementById('result').textContent).memory")
    for at, chart in enumerate(charts[:2]):
        if len(charts) > 1:
            page.script("const list = document.querySelector('#memory select'); list.value = arguments[0]; list.dispatchEvent(new Event('change', {bubbles: true}))", f"{at}")
        numbers = chart["numbers"]
        loads = numbers["load_requests"] - numbers.get("private_load_requests", 0)
        wait(lambda: f"L1 to warps: {loads:,} load" in page.one("#memory .at-global").get_attribute("textContent"), f"no {loads:,} loads in the chart")  # noqa: B023
        if chart["timed"] and numbers["l2_load_looked_up"]:
            rate = f"loads: {100 * numbers['l2_load_hits'] / numbers['l2_load_looked_up']:.1f} % hit"
            check(rate in page.one("#memory .at-l2").text, f"L2: not {rate}: {page.one('#memory .at-l2').text}")
    for width in (1440, 1000, 600, 400):
        page.driver.set_window_size(width, 1000)
        wide = page.script("const chart = document.querySelector('.memory-chart'); return [...chart.querySelectorAll('*')].filter((one) => one.getBoundingClientRect().right > innerWidth + 1).length")
        check(not wide, f"{wide} parts of the memory chart leave a window of {width} pixels")
    page.driver.set_window_size(1440, 1000)


def check_theme(page):
    colours = []
    for theme in THEMES:
        page.choose_theme(theme)
        colours.append((page.script("return getComputedStyle(document.body).backgroundColor"), page.pixels(".chart")))
    check(colours[0][0] != colours[1][0], "the colours do not change")
    wait(lambda: page.pixels(".chart") != colours[0][1], "charts do not follow the theme")


def check_order(page):
    """The first press of Tab offers to skip, and the links of the navigation reach their sections."""
    page.script("document.activeElement.blur(); scrollTo(0, 0)")
    ActionChains(page.driver).send_keys(Keys.TAB).perform()
    check(page.script("return document.activeElement.textContent") == "Skip to the content", "the first focus is not the way past")
    links = page.all("nav a")
    check([one.get_attribute("href").split("#")[1] for one in links] == [one.get_attribute("id") for one in page.all("main > section")],
          "the navigation has other sections")


CHECKS = (check_quiet, check_fast, check_order, check_sort, check_definition, check_source, check_zoom, check_timeline, check_roofline, check_memory, check_theme, check_accessible, check_quiet)


def take_pictures(page, folder):
    folder.mkdir(parents=True, exist_ok=True)
    for theme in THEMES:
        page.choose_theme(theme)
        for section in page.all("main > section"):
            page.driver.set_window_size(1440, min(max(section.size["height"] + 220, 420), 1800))
            page.script("arguments[0].scrollIntoView({block: 'start'})", section)
            time.sleep(0.2)
            page.driver.save_screenshot(str(folder / f"{theme}-{section.get_attribute('id')}.png"))
    page.driver.set_window_size(1440, 1000)


def check_kernel(driver, kernel, folder, pictures):
    path = make_page(kernel, folder / kernel)
    page = Page(driver, path)
    wait(lambda: page.all("main > section"), f"{kernel}: nothing is drawn")
    seconds = None
    for one in CHECKS:
        value = one(page)
        seconds = value if one is check_fast else seconds
    if pictures:
        take_pictures(page, pictures / kernel)
    print(f"{kernel}: passed; {path.stat().st_size:,} bytes, opens in {seconds:.2f} s", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kernels", nargs="*")
    parser.add_argument("--every-kernel", action="store_true")
    parser.add_argument("--pictures", type=pathlib.Path)
    options = parser.parse_args()
    every = sorted(path.parent.name for path in (SOURCE / "benchmarks" / "kernels").glob("*/*.cl") if path.stem == path.parent.name)
    failed = []
    if not AXE.exists():
        print("axe-core is not installed (report/node_modules): accessibility is not checked")
    with tempfile.TemporaryDirectory() as folder:
        driver = start_browser(pathlib.Path(folder) / "profile")
        try:
            for kernel in every if options.every_kernel else options.kernels:
                try:
                    check_kernel(driver, kernel, pathlib.Path(folder), options.pictures)
                except AssertionError as error:
                    failed.append(kernel)
                    print(f"{kernel}: FAILED: {error}", file=sys.stderr, flush=True)
        finally:
            driver.quit()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
