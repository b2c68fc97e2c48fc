// The interface of a broker cluster for tests, whatever the brokers run in.
import type { TcpProxy } from '../tcp-proxy.ts'

/**
 * Brokers are numbered from 0. A cluster named by SVC_KAFKA_BROKERS, or one in a container, can only be used: methods that control brokers
 * throw.
 */
export interface KafkaCluster extends AsyncDisposable {
  /** Addresses for clients as host:port: those of the proxies, if there are proxies. */
  readonly brokers: readonly string[]
  /** PEM file of a secured cluster's self-signed certificate. */
  readonly certificateFile?: string
  proxy(broker: number): TcpProxy
  /** Sends SIGKILL. Resolves when the process has ended. */
  kill(broker: number): Promise<void>
  /** Restarts a killed broker on its data. Resolves when the broker serves. */
  restart(broker: number): Promise<void>
  /** Sends SIGSTOP; `resume` sends SIGCONT. A paused broker keeps its connections and does not respond. */
  pause(broker: number): void
  resume(broker: number): void
  /** Process ids of the running brokers, for measurements. */
  pids(): readonly number[]
  /** Kills brokers on a temporary directory. Brokers on a persistent directory shut down cleanly. */
  stop(): Promise<void>
}
