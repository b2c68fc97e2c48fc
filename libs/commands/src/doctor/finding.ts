// A finding of `svc doctor`: the state of an area, and the next step.

export interface Finding {
  readonly area:
    | 'data directory'
    | 'event log'
    | 'column store'
    | 'relational store'
    | 'accounts'
    | 'migration'
    | 'certificate'
    | 'canary'
    | 'deletions'
    | 'backfill'
  readonly state: 'ok' | 'warning' | 'fault'
  /** A sentence that describes the state. */
  readonly says: string
  /** The operator's next step; absent if no action is needed. */
  readonly do?: string
}

export const worst = (findings: readonly Finding[]): Finding['state'] =>
  (['fault', 'warning'] as const).find(state => findings.some(each => each.state === state)) ?? 'ok'

/** Returns the findings about one area. An unavailable store becomes a finding, so that the other areas are still examined. */
export async function examine(
  area: Finding['area'],
  unreachable: string,
  work: () => Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  try {
    return await work()
  } catch (error) {
    return [{ area, state: 'fault', says: error instanceof Error ? error.message : String(error), do: unreachable }]
  }
}
