// Sets the time limits of a run and the size of its tests. Response times depend on the load of the machine. Ordinary runs therefore check
// only that no timeout expired before the response arrived. The nightly run starts one suite at a time, and checks the required response
// times.

/** True if each suite has the machine to itself, as in the nightly run. */
export const isAlone = process.env['SVC_TEST_ALONE'] === '1'

/** True in the nightly run. The nightly run checks all combinations and full sizes, and ordinary runs check only a part of them. */
const isWhole = process.env['SVC_TEST_WHOLE'] === '1'

/**
 * True if this run checks that a subject obeys a law. `subject` and `law` are their indexes. The nightly run checks all pairs of a subject
 * and a law. The share of the pairs that an ordinary run checks is 1/`of`. If there are at least `of` subjects and at least `of` laws, an
 * ordinary run checks each subject and each law at least once.
 */
export const isAsked = (subject: number, law: number, of: number): boolean => isWhole || (subject + law) % of === 0

export const sized = <T>(nightly: T, others: T): T => (isWhole ? nightly : others)

export function inNightly(declare: () => void): void {
  if (isWhole) declare()
}

/** Extra time for late timers and slow sockets: `amongOthers` if other suites run at the same time, and otherwise `alone`. */
export const slackMs = (alone: number, amongOthers = alone * 10): number => (isAlone ? alone : amongOthers)
