// Light or dark: as the system says, or as chosen here. Charts read their colours from the style sheet.
export type Theme = 'system' | 'light' | 'dark';
const KEY = 'warpscope-theme';

export function stored(): Theme {
  try {
    const value = localStorage.getItem(KEY);
    return value === 'light' || value === 'dark' ? value : 'system';
  } catch {
    return 'system';  // a browser may forbid storage to files
  }
}

export function apply(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // it is only not remembered
  }
}

/** A colour of the style sheet: --line and so on. */
export function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

/** Calls back when the colours change: another theme, the system's other theme, or paper. Returns what ends it. */
export function watch(changed: () => void): () => void {
  const observer = new MutationObserver(changed);
  observer.observe(document.documentElement, {attributes: true, attributeFilter: ['data-theme']});
  const queries = ['(prefers-color-scheme: dark)', 'print'].map((query) => matchMedia(query));
  for (const query of queries) query.addEventListener('change', changed);
  return () => {
    observer.disconnect();
    for (const query of queries) query.removeEventListener('change', changed);
  };
}
