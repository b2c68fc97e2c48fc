// How much a run tests, and its time limits. Response times depend on the load of the machine. Ordinary runs check only that a response did
// not come from a timeout. The nightly run, which runs one suite at a time, checks the actual limit.

/** True in the nightly run, which has the machine for itself. */
export const isAlone = process.env['SVC_TEST_ALONE'] === '1'

/**
 * True in the nightly run, which checks all combinations and full sizes. Runs other than the nightly run check a subset that includes each
 * part.
 */
const isWhole = process.env['SVC_TEST_WHOLE'] === '1'

/**
 * True if this run checks this law for this subject. The nightly run checks every law for every subject. Runs other than the nightly run
 * check every `of`-th combination. The selection depends only on the numbers of the subject and the law. With at least `of` subjects and
 * `of` laws, every subject and every law is checked at least once.
 */
export const isAsked = (subject: number, law: number, of: number): boolean => isWhole || (subject + law) % of === 0

/** Returns the first size in the nightly run and the second size in other runs. */
export const sized = <T>(nightly: T, others: T): T => (isWhole ? nightly : others)

/** Declares tests for the nightly run only, such as further cases, sizes and seeds. */
export function inNightly(declare: () => void): void {
  if (isWhole) declare()
}

/** Extra time for late timers, slow sockets, and concurrent suites. */
export const slackMs = (alone: number, amongOthers = alone * 10): number => (isAlone ? alone : amongOthers)
