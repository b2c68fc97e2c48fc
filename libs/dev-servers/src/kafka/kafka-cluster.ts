// The tests' interface of a cluster of brokers: existing brokers, local processes, or a container.
import type { TcpProxy } from '../tcp-proxy.ts'

/** Brokers are numbered from 0. For existing brokers (SVC_KAFKA_BROKERS) and container brokers, the control methods throw. */
export interface KafkaCluster extends AsyncDisposable {
  /** Addresses for clients, as host:port. With proxies, these are the addresses of the proxies. */
  readonly brokers: readonly string[]
  /** PEM file with a secured cluster's self-signed certificate. */
  readonly certificateFile?: string
  proxy(broker: number): TcpProxy
  /** Kills the process with SIGKILL. Resolves when the process has ended. */
  kill(broker: number): Promise<void>
  /** Restarts a killed broker with its data. Resolves when the broker is ready. */
  restart(broker: number): Promise<void>
  /** Pauses the process with SIGSTOP; `resume` sends SIGCONT. A paused broker keeps its connections but does not respond. */
  pause(broker: number): void
  resume(broker: number): void
  /** Process ids of running brokers, for measurements. */
  pids(): readonly number[]
  /** Shuts the brokers down cleanly if their directory is persistent, or kills them if it is temporary. */
  stop(): Promise<void>
}
