import type { ScoreConfig } from '@svc-server/relational/score-configs'
import { LRUCache } from 'lru-cache'

export interface ScoreConfigsOptions {
  readonly read: (projectId: string, ids: readonly string[]) => Promise<readonly ScoreConfig[]>
  readonly clock: () => number
  /** Time for which a configuration stays cached, even after it was archived. */
  readonly ttlMs?: number
  readonly maxEntries?: number
}

/**
 * Returns configurations by id. If the project has no configuration with one of the ids, the result does not contain this id. Throws
 * `relational_unavailable`.
 */
export type ScoreConfigsOf = (projectId: string, ids: readonly string[]) => Promise<ReadonlyMap<string, ScoreConfig>>

export function createScoreConfigs({ read, clock, ttlMs = 5_000, maxEntries = 10_000 }: ScoreConfigsOptions): ScoreConfigsOf {
  /** Cached configurations by project and id. Missing configurations are not cached, because a client can create them a moment later. */
  const known = new LRUCache<string, ScoreConfig>({ max: maxEntries, ttl: ttlMs, ttlResolution: 0, perf: { now: clock } })

  return async (projectId, ids) => {
    const found = new Map<string, ScoreConfig>()
    const unknown = new Set<string>()
    for (const id of ids) {
      const config = known.get(`${projectId}/${id}`)
      if (config === undefined) unknown.add(id)
      else found.set(id, config)
    }
    if (unknown.size === 0) return found
    const start = clock()
    for (const config of await read(projectId, [...unknown])) {
      known.set(`${projectId}/${config.id}`, config, { start })
      found.set(config.id, config)
    }
    return found
  }
}
