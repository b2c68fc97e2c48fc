import type { TcpProxy } from '../tcp-proxy.ts'

/** Brokers are numbered from 0. Only local processes can be controlled; for other brokers, the control methods throw. */
export interface KafkaCluster extends AsyncDisposable {
  /** Addresses as host:port. With proxies, these are the proxies' addresses. */
  readonly brokers: readonly string[]
  /** PEM file with a secured cluster's self-signed certificate. */
  readonly certificateFile?: string
  proxy(broker: number): TcpProxy
  /** Sends SIGKILL, and resolves when the process has ended. */
  kill(broker: number): Promise<void>
  /** Restarts a killed broker with its data. Resolves when it is ready. */
  restart(broker: number): Promise<void>
  /** Sends SIGSTOP. `resume` sends SIGCONT. A paused broker keeps its connections but does not respond. */
  pause(broker: number): void
  resume(broker: number): void
  /** Process ids of the running brokers, for measurements. */
  pids(): readonly number[]
  /** Cleanly shuts down brokers with a persistent directory, and kills other brokers. */
  stop(): Promise<void>
}
