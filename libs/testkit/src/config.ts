// Time limits of tests. Response times depend on the machine's load, so ordinary runs only check that a response arrived before a timeout
// could have caused it. The nightly run, which runs one suite at a time, checks the actual bound.

/** True in the nightly run, which has the machine to itself. */
export const isAlone = process.env['SVC_TEST_ALONE'] === '1'

/** True in the nightly run, which checks all combinations and full sizes. Other runs check a subset that covers each part. */
const isWhole = process.env['SVC_TEST_WHOLE'] === '1'

/**
 * Whether this run checks this law for this subject. The nightly run checks every law for every subject; other runs check every `of`-th
 * combination, by its number and not at random. With at least `of` subjects and laws, every subject and every law is checked at least once.
 */
export const isAsked = (subject: number, law: number, of: number): boolean => isWhole || (subject + law) % of === 0

/** Returns the first size in the nightly run, and the second size in other runs. */
export const sized = <T>(nightly: T, others: T): T => (isWhole ? nightly : others)

/**
 * Declares tests that only the nightly run executes: additional cases of a promise that other runs check with one case, and the same code
 * with different sizes or seeds.
 */
export function inNightly(declare: () => void): void {
  if (isWhole) declare()
}

/** Extra time that timers, sockets, and other suites may add. */
export const slackMs = (alone: number, amongOthers = alone * 10): number => (isAlone ? alone : amongOthers)
