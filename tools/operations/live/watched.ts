// A fault, and the processes that it can change.
import type { TestCluster } from '../../../apps/cluster/test/cluster.ts'
import type { ColumnStoreProxy } from '../../../libs/testkit/src/index.ts'
import type { Provoked } from './seen-live.ts'
import type { SideGateway } from './side-gateway.ts'

export interface Watched {
  readonly cluster: TestCluster
  readonly side: SideGateway
  /** The proxy in front of the column store. */
  readonly columnStore: ColumnStoreProxy
  /** Runs a statement without the proxy. */
  readonly command: (sql: string) => Promise<void>
}

export interface Fault {
  readonly what: string
  readonly alerts: readonly Provoked[]
  /** Alerts that fire only after the fault has ended. */
  readonly afterwards?: readonly Provoked[]
  /** Returns the function that ends the fault; undefined if it ends by itself. */
  readonly begin: (watched: Watched) => Promise<(() => Promise<void>) | undefined>
}
