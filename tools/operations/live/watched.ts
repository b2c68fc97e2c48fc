// What faults have at hand, and what a fault is.
import type { TestCluster } from '../../../apps/cluster/test/cluster.ts'
import type { ColumnStoreProxy } from '../../../libs/testkit/src/index.ts'
import type { Provoked } from './seen-live.ts'
import type { SideGateway } from './side-gateway.ts'

export interface Watched {
  readonly cluster: TestCluster
  /** A gateway that no client knows. */
  readonly side: SideGateway
  /** What stands before the column store. */
  readonly columnStore: ColumnStoreProxy
  /** A statement for the column store, past what stands before it. */
  readonly command: (sql: string) => Promise<void>
}

export interface Fault {
  readonly what: string
  /** They fire because of it, before it ends. */
  readonly alerts: readonly Provoked[]
  /** They fire because of it, once it has ended. */
  readonly afterwards?: readonly Provoked[]
  /** Begins; what it returns ends it. What has no end resolves with nothing. */
  readonly begin: (watched: Watched) => Promise<(() => Promise<void>) | undefined>
}
