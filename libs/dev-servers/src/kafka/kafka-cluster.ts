// What a cluster of brokers can do for a test, whatever it runs in.
import type { TcpProxy } from '../tcp-proxy.ts'

/**
 * Numbers of brokers count from 0. A cluster that SVC_KAFKA_BROKERS names, or one in a container, can only be
 * used: the rest throws.
 */
export interface KafkaCluster extends AsyncDisposable {
  /** Addresses for clients, host:port; those of the proxies where there are some. */
  readonly brokers: readonly string[]
  /** PEM file of the certificate that a secured cluster has signed itself. */
  readonly certificateFile?: string
  proxy(broker: number): TcpProxy
  /** SIGKILL; resolves when the process is gone. */
  kill(broker: number): Promise<void>
  /** Starts a killed broker again on its data; resolves when it serves. */
  restart(broker: number): Promise<void>
  /** SIGSTOP and SIGCONT: the broker keeps its connections and answers nothing. */
  pause(broker: number): void
  resume(broker: number): void
  /** Process ids of the brokers that run, for measuring. */
  pids(): readonly number[]
  /** Kills the brokers of a temporary directory; those of a directory that stays end cleanly. */
  stop(): Promise<void>
}
