// The response header with the time until which data from the column store is complete (ADR 0032).
import type { Dependencies } from './dependencies.ts'

const paths = { scores: ['scores'], spans: ['direct', 'overflow', 'staged'] } as const

/**
 * Callers must call `completeness` before they read the rows. A completeness time that is read after the rows could cover acknowledged data
 * that the rows lack.
 */
export async function completeness(
  { completeUntil }: Pick<Dependencies, 'completeUntil'>,
  ...of: readonly (keyof typeof paths)[]
): Promise<Readonly<Record<string, string>>> {
  const until = await completeUntil(of.flatMap(each => paths[each]))
  return until === undefined ? {} : { 'x-svc-complete-until': until }
}
