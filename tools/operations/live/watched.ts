// The types of a fault, and of the processes that the fault can change.
import type { TestCluster } from '../../../apps/cluster/test/cluster.ts'
import type { ColumnStoreProxy } from '../../../libs/testkit/src/index.ts'
import type { Provoked } from './seen-live.ts'
import type { SideGateway } from './side-gateway.ts'

export interface Watched {
  readonly cluster: TestCluster
  readonly side: SideGateway
  /** Proxy between the services and the column store. */
  readonly columnStore: ColumnStoreProxy
  /** Runs a statement directly on the column store, without the proxy. */
  readonly command: (sql: string) => Promise<void>
}

export interface Fault {
  readonly what: string
  readonly alerts: readonly Provoked[]
  /** Alerts that fire only after the fault has ended. */
  readonly afterwards?: readonly Provoked[]
  /** Starts the fault. The result is a function that ends the fault, or undefined if the fault ends by itself. */
  readonly begin: (watched: Watched) => Promise<(() => Promise<void>) | undefined>
}
