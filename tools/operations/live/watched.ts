// The interface of a fault, and the environment it runs in.
import type { TestCluster } from '../../../apps/cluster/test/cluster.ts'
import type { ColumnStoreProxy } from '../../../libs/testkit/src/index.ts'
import type { Provoked } from './seen-live.ts'
import type { SideGateway } from './side-gateway.ts'

export interface Watched {
  readonly cluster: TestCluster
  /** A gateway that no client uses. */
  readonly side: SideGateway
  /** The proxy before the column store. */
  readonly columnStore: ColumnStoreProxy
  /** Runs a statement on the column store, bypassing the proxy. */
  readonly command: (sql: string) => Promise<void>
}

export interface Fault {
  readonly what: string
  /** Alerts that fire during the fault. */
  readonly alerts: readonly Provoked[]
  /** Alerts that fire after the fault has ended. */
  readonly afterwards?: readonly Provoked[]
  /** Starts the fault, and returns the function that ends it, or undefined if the fault ends by itself. */
  readonly begin: (watched: Watched) => Promise<(() => Promise<void>) | undefined>
}
