// The interface of a cluster of brokers for tests, which is the same for brokers that are given, for local processes, and for a container.
import type { TcpProxy } from '../tcp-proxy.ts'

/**
 * The brokers are numbered from 0. For the brokers in SVC_KAFKA_BROKERS and for a broker in a container, the methods that control brokers
 * throw.
 */
export interface KafkaCluster extends AsyncDisposable {
  /** Addresses for clients, as host:port. If there are proxies, the addresses are those of the proxies. */
  readonly brokers: readonly string[]
  /** PEM file with the self-signed certificate of a secured cluster. */
  readonly certificateFile?: string
  proxy(broker: number): TcpProxy
  /** Kills the process with SIGKILL. Resolves when the process has ended. */
  kill(broker: number): Promise<void>
  /** Restarts a killed broker with its data. Resolves when the broker is ready. */
  restart(broker: number): Promise<void>
  /** Stops the process with SIGSTOP; `resume` sends SIGCONT. A broker that is paused keeps its connections but does not respond. */
  pause(broker: number): void
  resume(broker: number): void
  /** Ids of the processes of running brokers, for measurements. */
  pids(): readonly number[]
  /** Shuts the brokers down cleanly if their directory is persistent, and kills them if it is temporary. */
  stop(): Promise<void>
}
