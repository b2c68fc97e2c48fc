// Time limits of tests. Response times depend on the machine's other work, so ordinary runs only check that a response was not caused by a
// timeout. The nightly run, which runs one suite at a time, checks the actual bound.

/** The nightly run, without other work on the processors. */
export const isAlone = process.env['SVC_TEST_ALONE'] === '1'

/** The nightly run checks all combinations and full sizes; other runs check a subset that covers each part. */
const isWhole = process.env['SVC_TEST_WHOLE'] === '1'

/**
 * Whether this law is checked for this subject. The nightly run checks every law for every subject; other runs check every
 * `of`-th combination, by number rather than by chance. With at least `of` subjects and laws, every subject and every law is
 * checked at least once.
 */
export const isAsked = (subject: number, law: number, of: number): boolean => isWhole || (subject + law) % of === 0

/** A size for the nightly run, and one for other runs. */
export const sized = <T>(nightly: T, others: T): T => (isWhole ? nightly : others)

/**
 * Declares tests that only the nightly run has: further cases of a promise that other runs check with one case, and the same
 * code with other sizes or seeds.
 */
export function inNightly(declare: () => void): void {
  if (isWhole) declare()
}

/** Extra time that timers, sockets, and other suites may add. */
export const slackMs = (alone: number, amongOthers = alone * 10): number => (isAlone ? alone : amongOthers)
