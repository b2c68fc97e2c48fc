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
  readonly says: string
  /** The next step for the operator. Absent if no action is needed. */
  readonly do?: string
}

export const worst = (findings: readonly Finding[]): Finding['state'] =>
  (['fault', 'warning'] as const).find(state => findings.some(each => each.state === state)) ?? 'ok'

/** Turns an unavailable store into a finding, so that the other areas are still examined. */
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
