// Determines the time limits of a run, and how much it tests. Response times depend on the load, so ordinary runs check only that a
// response did not come from a timeout. The nightly run has one suite at a time and checks the actual limit.

/** The nightly run has the machine for itself. */
export const isAlone = process.env['SVC_TEST_ALONE'] === '1'

/** The nightly run checks all combinations and full sizes. Other runs check a subset that includes each part. */
const isWhole = process.env['SVC_TEST_WHOLE'] === '1'

/**
 * The nightly run checks every law for every subject. Other runs check every `of`-th combination. With at least `of` subjects and `of`
 * laws, each subject and each law is checked at least once.
 */
export const isAsked = (subject: number, law: number, of: number): boolean => isWhole || (subject + law) % of === 0

export const sized = <T>(nightly: T, others: T): T => (isWhole ? nightly : others)

export function inNightly(declare: () => void): void {
  if (isWhole) declare()
}

/** Extra time for late timers, slow sockets, and concurrent suites. */
export const slackMs = (alone: number, amongOthers = alone * 10): number => (isAlone ? alone : amongOthers)
