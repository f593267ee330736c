"""Many simulations: the order of the answers, what is kept, what an interruption leaves, and the budget."""
import threading
import time
import unittest

import support  # noqa: F401, pylint: disable=unused-import
from warpscope.base.errors import InputError, Stopped
from warpscope.run.budget import Work
from warpscope.run.experiment import Ended, Experiment, check_ended


class Kept(dict):
    put = dict.__setitem__


class Each(unittest.TestCase):
    def test_answers_come_in_the_order_of_the_tasks_whatever_ends_first(self):
        def late(number):
            time.sleep(0.05 if number == 0 else 0)
            return number * number

        for jobs in (1, 2, 5):
            seen = []
            self.assertEqual(Experiment(late, jobs).each([0, 1, 2, 3], seen.append), [0, 1, 4, 9])
            self.assertEqual(sorted(seen), [0, 1, 4, 9])

    def test_what_is_known_is_not_made_again(self):
        store, made = Kept({2: 20}), []

        def make(task):
            made.append(task)
            return 10 * task

        experiment = Experiment(make, 1, store=store)
        self.assertEqual(experiment.each([1, 2, 3, 1]), [10, 20, 30, 10])
        self.assertEqual((made, experiment.reused), ([1, 3, 1], 1))
        self.assertEqual(store, {1: 10, 2: 20, 3: 30})
        again = Experiment(make, 1, store=store)
        self.assertEqual((again.each([3, 1]), again.reused, made), ([30, 10], 2, [1, 3, 1]))


class Run(unittest.TestCase):
    def test_tasks_may_follow_from_answers(self):
        waiting, seen = [1], []

        def done(task, answer):
            seen.append(answer)
            waiting.extend([2 * task, 2 * task + 1] if task < 4 else [])

        Experiment(lambda task: task, 3).run(lambda: waiting.pop(0) if waiting else None, done)
        self.assertEqual(sorted(seen), [1, 2, 3, 4, 5, 6, 7])

    def test_take_and_done_are_called_by_the_caller(self):
        threads, queue = set(), iter([1, 2, 3])

        def take():
            threads.add(threading.current_thread())
            return next(queue, None)

        Experiment(lambda task: task, 2).run(take, lambda task, answer: threads.add(threading.current_thread()))
        self.assertEqual(threads, {threading.current_thread()})

    def test_an_interruption_begins_nothing_else_and_keeps_what_was_done(self):
        store, begun = Kept(), []

        def make(task):
            begun.append(task)
            if task == 2:
                raise Stopped(15)
            return task

        with self.assertRaises(Stopped):
            Experiment(make, 1, store=store).each([1, 2, 3, 4])
        self.assertEqual((begun, store), ([1, 2], {1: 1}))

    def test_a_folder_that_cannot_be_written_is_bad_input(self):
        def full(_task):
            raise OSError(28, "No space left on device")

        with self.assertRaisesRegex(InputError, "^out: No space left on device"):
            Experiment(full, 1, "out").each([1])


class Answers(unittest.TestCase):
    def test_what_ends_from_outside_is_no_answer(self):
        for status, said in ((-9, ""), (137, ""), (143, ""), (1, "x: No space left on device")):
            with self.assertRaises(Ended, msg=status):
                check_ended("cachesim", status, said)
        for status, said in ((0, "No space left on device"), (2, "x: no such file"), (139, ""), (-11, "")):  # 11: the kernel's own fault
            check_ended("cachesim", status, said)

    def test_what_the_budget_has_no_work_for_is_left_out(self):
        work = Work(100)
        experiment = Experiment(lambda task: task, work=work)
        self.assertEqual(experiment.affordable([30, 40, 20, None], lambda task: task, 0.5), ([30, 20], [40, None]))
        self.assertEqual(experiment.affordable([60, 50], lambda task: task), ([50], [60]))
        self.assertEqual(work.used, 100)


if __name__ == "__main__":
    unittest.main()
