// How long an answer may take depends on what else the machine does. Every run holds that it does not come by a
// timeout; the bound itself is held where one suite runs at a time: by the nightly run.

/** The nightly run: nothing else takes the processors. */
export const isAlone = process.env['SVC_TEST_ALONE'] === '1'

/** The nightly run asks everything: the whole of a product, of which others ask what covers it; and as many as a promise is made for. */
const isWhole = process.env['SVC_TEST_WHOLE'] === '1'

/**
 * Of a product of subjects and laws: whether this law is asked of this subject. The nightly run asks every law of every
 * subject; others ask every `of`-th, by number and not by chance: where there are at least `of` subjects and laws, every
 * subject is asked some, and every law of some.
 */
export const isAsked = (subject: number, law: number, of: number): boolean => isWhole || (subject + law) % of === 0

/** A size: of the nightly run, and of the others. */
export const sized = <T>(nightly: T, others: T): T => (isWhole ? nightly : others)

/** What timers, sockets and other suites may add to a time. */
export const slackMs = (alone: number, amongOthers = alone * 10): number => (isAlone ? alone : amongOthers)
