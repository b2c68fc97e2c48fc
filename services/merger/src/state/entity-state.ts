// Keeps the entities of the last seven days in local files. Only records that are read from the topic `entities` change the state. Even
// after a crash or the loss of the directory, the state therefore contains exactly the committed records.
import { type ChangelogOptions, openChangelog, type ReadOnOptions } from '@svc-server/owner/changelog'
import { createEntityFold } from './entity-fold.ts'
import { entityId } from './entity-table.ts'

export interface EntityStateOptions extends ChangelogOptions {
  /**
   * Time for which the state keeps an entity after its newest record, measured by append times. It equals the retention of the topic
   * `entities`.
   */
  readonly retentionMs: number
}

export interface EntityState {
  /** See `Changelog.readOn`. */
  catchUp(partition: number, options?: ReadOnOptions): Promise<void>
  /** Returns null if the state does not have the entity. */
  get(partition: number, key: Uint8Array): Buffer | null
  /** Returns entity ids greater than `id`, ascending. Null stands for the beginning. */
  idsAfter(partition: number, id: Buffer | null, limit: number): readonly Buffer[]
  byId(partition: number, id: Buffer): Buffer | null
  close(): Promise<void>
}

/** Rejects with the errors of `openChangelog`. */
export async function openEntityState({ retentionMs, ...options }: EntityStateOptions): Promise<EntityState> {
  const changelog = await openChangelog(createEntityFold(retentionMs), options)
  return {
    catchUp: async (partition, how = {}) => void (await changelog.readOn(partition, how)),
    get: (partition, key) => changelog.ask(partition, table => table.get(entityId(key))?.record ?? null),
    idsAfter: (partition, id, limit) => changelog.ask(partition, table => table.idsAfter(id, limit)),
    byId: (partition, id) => changelog.ask(partition, table => table.get(id)?.record ?? null),
    close: changelog.close,
  }
}
