// Tells whether any broker responds. Brokers are probed only if an append is slow or has failed. While no broker responds, appends fail
// immediately.
import { connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { Logger } from '../embedded/logger.ts'
import type { TlsOptions } from './options.ts'

export interface ReachabilityOptions {
  readonly brokers: readonly string[]
  readonly tls?: TlsOptions | undefined
  readonly logger: Logger
  /** Called once when the brokers stop responding, and not again until a broker has responded. */
  readonly onLost: () => void
}

export interface Reachability {
  readonly lost: boolean
  /** From now on, probes also include these brokers, which the cluster has reported. */
  know(brokers: readonly string[]): void
  /** Probes all brokers, unless a probe is running. */
  doubt(): void
  /** Stores a response time, so that brokers behind a slow network do not count as dead. */
  observe(tookMs: number): void
  /** If a request gets no response within this time, the caller must call `doubt`. */
  doubtAfterMs(): number
  close(): void
}

const probeMs = 400
const retryMs = 250
// If a timer fires this many milliseconds late, the process itself has stalled, so a missing response does not count against the broker.
const stallMs = 150

// An ApiVersions request, to which a broker responds before authentication: length, key 18, version 0, correlation 0, client "svc".
const question = Buffer.from([0, 0, 0, 13, 0, 18, 0, 0, 0, 0, 0, 0, 0, 3, 115, 118, 99])

type Answer = 'yes' | 'no' | 'unclear'

export function createReachability(options: ReachabilityOptions): Reachability {
  const { logger } = options
  const known = new Set(options.brokers)
  const open = new Set<Socket>()
  let lost = false
  let asking = false
  let closed = false
  let typicalMs = 0
  let timer: NodeJS.Timeout | undefined

  const ask = (broker: string, forMs: number): Promise<Answer> =>
    new Promise(resolve => {
      const at = broker.lastIndexOf(':')
      const target = { host: broker.slice(0, at), port: Number(broker.slice(at + 1)) }
      const startedAt = performance.now()
      const socket: Socket = options.tls ? connectTls({ ...target, ...options.tls }) : connectTcp(target)
      open.add(socket)
      const end = (answer: Answer): void => {
        clearTimeout(late)
        open.delete(socket)
        socket.destroy()
        resolve(answer)
      }
      const late = setTimeout(() => end(performance.now() - startedAt > forMs + stallMs ? 'unclear' : 'no'), forMs)
      socket.once(options.tls ? 'secureConnect' : 'connect', () => socket.write(question))
      socket.once('data', () => end('yes'))
      socket.on('error', () => end('no'))
      socket.on('close', () => end('no'))
    })

  const round = async (): Promise<void> => {
    const forMs = Math.min(3000, Math.max(probeMs, typicalMs * 3))
    const answers = [...known].map(broker => ask(broker, forMs))
    const anyYes = await Promise.any(answers.map(answer => answer.then(one => (one === 'yes' ? one : Promise.reject(one))))).catch(
      () => undefined,
    )
    if (closed) return
    if (anyYes === 'yes') {
      if (lost) {
        lost = false
        logger.info({ brokers: [...known] }, 'A Kafka broker responds again')
      }
      return
    }
    const all = await Promise.all(answers)
    if (!lost && all.every(answer => answer === 'no')) {
      lost = true
      logger.error({ brokers: [...known] }, 'No Kafka broker responds: appends fail until one does')
      options.onLost()
    }
    timer = setTimeout(begin, retryMs)
  }
  const begin = (): void => {
    asking = true
    timer = undefined
    void round().finally(() => {
      asking = timer !== undefined
    })
  }

  return {
    get lost() {
      return lost
    },
    know(brokers) {
      for (const broker of brokers) known.add(broker)
    },
    doubt() {
      if (!asking && !closed) begin()
    },
    observe(tookMs) {
      typicalMs = Math.max(tookMs, typicalMs * 0.9)
    },
    doubtAfterMs: () => Math.max(probeMs, typicalMs * 1.5),
    close() {
      closed = true
      clearTimeout(timer)
      for (const socket of open) socket.destroy()
    },
  }
}
