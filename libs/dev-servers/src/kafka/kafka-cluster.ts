import type { TcpProxy } from '../tcp-proxy.ts'

/** The first broker has number 0. The control methods work only for local processes and throw for all other brokers. */
export interface KafkaCluster extends AsyncDisposable {
  /** Addresses as host:port. If proxies run in front of the brokers, these are the addresses of the proxies. */
  readonly brokers: readonly string[]
  /** PEM file with the self-signed certificate of a secured cluster. */
  readonly certificateFile?: string
  proxy(broker: number): TcpProxy
  /** Sends SIGKILL, and resolves when the process has ended. */
  kill(broker: number): Promise<void>
  /** Restarts a killed broker with its data, and resolves when the broker is ready. */
  restart(broker: number): Promise<void>
  /** `pause` sends SIGSTOP, and `resume` sends SIGCONT. A paused broker keeps its connections but sends no responses. */
  pause(broker: number): void
  resume(broker: number): void
  /** Process ids of the running brokers, for measurements. */
  pids(): readonly number[]
  /**
   * Stops the brokers that were started for this cluster: shuts them down cleanly if the directory of the cluster is persistent, and kills
   * them if not.
   */
  stop(): Promise<void>
}
