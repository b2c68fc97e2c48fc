// Finds the previous and the next trace in the list that led to the current trace. The list is stored separately for each browser tab.

const storageKey = 'svc.traces'
const most = 2_000

export function rememberTraces(project: string, traceIds: readonly string[]): void {
  sessionStorage.setItem(storageKey, JSON.stringify({ project, traceIds: [...new Set(traceIds)].slice(0, most) }))
}

export function neighborOf(project: string, traceId: string, by: 1 | -1): string | undefined {
  try {
    const stored = JSON.parse(sessionStorage.getItem(storageKey) ?? 'null') as {
      readonly project: string
      readonly traceIds: readonly string[]
    } | null
    if (stored?.project !== project) return undefined
    const at = stored.traceIds.indexOf(traceId)
    return at < 0 ? undefined : stored.traceIds[at + by]
  } catch {
    return undefined
  }
}
