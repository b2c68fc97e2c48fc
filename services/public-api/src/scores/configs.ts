// Score configurations as requests need them: one query for all that a request names, and none for those that
// were read a moment ago.
import type { ScoreConfig } from '@svc-server/relational/score-configs'

export interface ScoreConfigsOptions {
  readonly read: (projectId: string, ids: readonly string[]) => Promise<readonly ScoreConfig[]>
  readonly clock: () => number
  /** How long one is used without asking again: so long may one that was archived still be used. */
  readonly ttlMs?: number
  readonly maxEntries?: number
}

/** By id; those that the project does not have are not in it. Throws `relational_unavailable`. */
export type ScoreConfigsOf = (projectId: string, ids: readonly string[]) => Promise<ReadonlyMap<string, ScoreConfig>>

export function createScoreConfigs({ read, clock, ttlMs = 5_000, maxEntries = 10_000 }: ScoreConfigsOptions): ScoreConfigsOf {
  /**
   * By project and id; the oldest first. One that is not there is not kept: it may be made a moment later.
   */
  const known = new Map<string, { readonly config: ScoreConfig; readonly untilMs: number }>()

  function keep(projectId: string, config: ScoreConfig, nowMs: number): void {
    const key = `${projectId}/${config.id}`
    known.delete(key)
    known.set(key, { config, untilMs: nowMs + ttlMs })
    if (known.size > maxEntries) known.delete(known.keys().next().value!)
  }

  return async (projectId, ids) => {
    const nowMs = clock()
    const found = new Map<string, ScoreConfig>()
    const unknown = new Set<string>()
    for (const id of ids) {
      const entry = known.get(`${projectId}/${id}`)
      if (entry !== undefined && nowMs < entry.untilMs) found.set(id, entry.config)
      else unknown.add(id)
    }
    if (unknown.size === 0) return found
    for (const config of await read(projectId, [...unknown])) {
      keep(projectId, config, nowMs)
      found.set(config.id, config)
    }
    return found
  }
}
