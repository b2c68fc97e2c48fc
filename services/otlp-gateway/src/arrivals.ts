// Stores which requests the gateway accepted and refused, for the page that helps a user send the first span. No request waits for these
// writes, and a failed write delays no request.
import type { AppError } from '@svc-server/errors'
import type { Arrival } from '@svc-server/relational/arrivals'
import { parseAuthorization } from '@svc-server/relational/authorization-header'
import { createSeldomLog, type Logger } from '@svc-server/service/logs'

export interface ArrivalsOptions {
  readonly write: (arrivals: readonly Arrival[]) => Promise<void>
  readonly logger: Logger
  readonly clock: () => number
  readonly intervalMs?: number
  readonly limits?: { readonly waiting: number; readonly atOnce: number }
}

interface Accepted {
  readonly publicKey: string
  readonly receivedAtMs: number
  readonly acceptedSpans: number
  readonly rejectedSpans: number
  /** Why spans were rejected. */
  readonly message: string
  readonly traceId: string | undefined
}

export interface Arrivals {
  accepted(arrival: Accepted): void
  /**
   * `publicKey` is the key of an authenticated caller. If `publicKey` is undefined, and the text of `authorization` could be a key, the
   * gateway records this text as the key.
   */
  refused(refusal: AppError, request: { readonly publicKey: string | undefined; readonly authorization: string | undefined }): void
  start(): void
  stop(): Promise<void>
}

/**
 * Time between two writes to the table `arrivals`. The web app's page “Send your first span” therefore shows a request about this long
 * after the gateway has received the request.
 */
const defaultIntervalMs = 1_000
/** The gateway writes at most 100 rows per second. With thousands of active keys, rows wait longer: 5,000 rows take 50 s. */
const defaultLimits = { waiting: 5_000, atOnce: 100 }
/** After a failed write, the next write waits for this number of intervals. */
const pauseAfterFailure = 10
const maxMessage = 300
/** An unauthenticated client can send any text as a key. */
const possibleKey = /^[!-~]{1,200}$/

/** PostgreSQL rejects NUL and unpaired surrogates in JSON. */
const shown = (message: string): string => message.slice(0, maxMessage).toWellFormed().replaceAll('\0', '')

function claimedKey(authorization: string | undefined): string | undefined {
  try {
    return parseAuthorization(authorization ?? '', { takesPublicKeys: true }).publicKey
  } catch {
    return undefined
  }
}

export function createArrivals({
  write,
  logger,
  clock,
  intervalMs = defaultIntervalMs,
  limits = defaultLimits,
}: ArrivalsOptions): Arrivals {
  /** Newest arrival of each kind. */
  const waiting = new Map<string, Arrival>()
  const failures = createSeldomLog(logger, clock, 'alsoFailed')
  let timer: NodeJS.Timeout | undefined
  let running = Promise.resolve(true)

  function note(arrival: Omit<Arrival, 'requests'>): void {
    if (!possibleKey.test(arrival.publicKey)) return
    const kind = `${arrival.publicKey} ${arrival.outcome} ${arrival.reason}`
    const before = waiting.get(kind)
    if (before === undefined && waiting.size >= limits.waiting) return
    waiting.set(kind, { ...arrival, message: shown(arrival.message), requests: (before?.requests ?? 0) + 1 })
  }

  /**
   * Resolves with false if the write failed. The arrivals of a failed write are dropped, and not written again, because the first-run page
   * shows only the newest arrivals. The stored numbers of requests do not include the dropped requests.
   */
  async function flush(): Promise<boolean> {
    const batch = [...waiting].slice(0, limits.atOnce)
    if (batch.length === 0) return true
    for (const [kind] of batch) waiting.delete(kind)
    try {
      await write(batch.map(([, arrival]) => arrival))
      return true
    } catch (error) {
      failures.note('arrivals', 'warn', { err: error }, 'Accepted and refused requests could not be recorded for the first-run page')
      return false
    }
  }

  function schedule(ms: number): void {
    timer = setTimeout(() => {
      running = flush()
      void running.then(isWritten => {
        if (timer !== undefined) schedule(isWritten ? intervalMs : pauseAfterFailure * intervalMs)
      })
    }, ms)
    timer.unref()
  }

  return {
    accepted({ publicKey, receivedAtMs, acceptedSpans, rejectedSpans, message, traceId = null }) {
      const common = { publicKey, receivedAtMs, status: 200 }
      if (rejectedSpans > 0) {
        const reason = 'spans_rejected'
        note({ ...common, outcome: 'rejected', reason, message, spans: rejectedSpans, traceId: null, loggedAtMs: null })
      }
      if (acceptedSpans > 0) {
        note({ ...common, outcome: 'accepted', reason: '', message: '', spans: acceptedSpans, traceId, loggedAtMs: clock() })
      }
    },
    refused({ code, message, definition }, { publicKey, authorization }) {
      const named = publicKey ?? claimedKey(authorization)
      if (named === undefined) return
      const about = { reason: code, message, status: definition.http, spans: 0, traceId: null }
      note({ publicKey: named, outcome: 'refused', ...about, receivedAtMs: clock(), loggedAtMs: null })
    },
    start: () => schedule(intervalMs),
    async stop() {
      clearTimeout(timer)
      timer = undefined
      await running
      await flush()
    },
  }
}
