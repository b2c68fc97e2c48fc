// The interface of a broker cluster for tests. The interface is the same for given brokers, local processes and a container.
import type { TcpProxy } from '../tcp-proxy.ts'

/**
 * Brokers are numbered from 0. For a cluster named by SVC_KAFKA_BROKERS, or a cluster in a container, the methods that control brokers
 * throw.
 */
export interface KafkaCluster extends AsyncDisposable {
  /** Addresses for clients as host:port. If there are proxies, these are the proxies' addresses. */
  readonly brokers: readonly string[]
  /** PEM file of a secured cluster's self-signed certificate. */
  readonly certificateFile?: string
  proxy(broker: number): TcpProxy
  /** Sends SIGKILL. Resolves when the process has ended. */
  kill(broker: number): Promise<void>
  /** Restarts a killed broker with its data. Resolves when the broker is ready. */
  restart(broker: number): Promise<void>
  /** Sends SIGSTOP; `resume` sends SIGCONT. A paused broker keeps its connections and does not respond. */
  pause(broker: number): void
  resume(broker: number): void
  /** Process ids of the running brokers, for measurements. */
  pids(): readonly number[]
  /** Kills the brokers if their directory is temporary. If the directory is persistent, the brokers shut down cleanly. */
  stop(): Promise<void>
}
