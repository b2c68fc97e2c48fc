// The merger's knowledge of the entities of the last seven days. The knowledge is in local files, which are built from the topic
// `entities`. The state changes only by reading the topic. Therefore, even after a crash, a rebalance or the loss of the directory, the
// state contains exactly the committed records.
import { type ChangelogOptions, openChangelog, type ReadOnOptions } from '@svc-server/owner/changelog'
import { createEntityFold } from './entity-fold.ts'
import { entityId } from './entity-table.ts'

export interface EntityStateOptions extends ChangelogOptions {
  /**
   * How long, measured by append times, the state keeps an entity after its newest record; equal to the retention of the topic `entities`.
   */
  readonly retentionMs: number
}

export interface EntityState {
  /** Applies all records up to the end of `entities`, as `Changelog.readOn` does. */
  catchUp(partition: number, options?: ReadOnOptions): Promise<void>
  /** Returns the newest record of the entity with this key; null if the state does not have the entity. */
  get(partition: number, key: Uint8Array): Buffer | null
  /** Returns entity ids that are greater than `id`, in ascending order; null stands for the beginning. */
  idsAfter(partition: number, id: Buffer | null, limit: number): readonly Buffer[]
  /** Returns the newest record of the entity; null if the state does not have the entity any more. */
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
