// Sets the time limits of a run and the size of its tests. Response times depend on the load of the machine. Ordinary runs therefore check
// only that no timeout had expired before the response. The nightly run starts one suite at a time and checks the real limit.

/** True if the run has the machine for itself, as the nightly run has. */
export const isAlone = process.env['SVC_TEST_ALONE'] === '1'

/** True in the nightly run. The nightly run checks all combinations and full sizes, and ordinary runs check only a part of them. */
const isWhole = process.env['SVC_TEST_WHOLE'] === '1'

/**
 * `subject` and `law` are indexes: tests check that each subject obeys each law. The nightly run checks all pairs of a subject and a law.
 * An ordinary run checks 1/`of` of the pairs. If there are at least `of` subjects and at least `of` laws, an ordinary run checks each
 * subject and each law at least once.
 */
export const isAsked = (subject: number, law: number, of: number): boolean => isWhole || (subject + law) % of === 0

export const sized = <T>(nightly: T, others: T): T => (isWhole ? nightly : others)

export function inNightly(declare: () => void): void {
  if (isWhole) declare()
}

/** Extra time for late timers, slow sockets, and suites that run at the same time. */
export const slackMs = (alone: number, amongOthers = alone * 10): number => (isAlone ? alone : amongOthers)
