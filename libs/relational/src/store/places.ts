// Limits how many callers use a connection at the same time; further callers wait in order. In the pool of PostgreSQL's client, one timeout
// applies to connecting to the server and to waiting for a free connection. In a burst of requests, waiting requests would therefore fail
// as if the server were unavailable.
import { AppError } from '@svc-server/errors'

export interface PlacesOptions {
  readonly places: number
  readonly maxWaiting: number
  readonly waitMs: number
}

export interface Places {
  /** Rejects with `relational_unavailable` if too many callers are waiting, or if this caller has waited too long. */
  take(): Promise<void>
  giveBack(): void
}

export function createPlaces({ places, maxWaiting, waitMs }: PlacesOptions): Places {
  const waiting = new Set<() => void>()
  let free = places
  const unavailable = (what: string) =>
    new AppError('relational_unavailable', `All connections to the relational store are in use: ${what}.`)

  return {
    async take() {
      if (free > 0) {
        free--
        return
      }
      if (waiting.size >= maxWaiting) throw unavailable(`${waiting.size} statements already wait for a connection`)
      await new Promise<void>((resolve, reject) => {
        const giveUp = setTimeout(() => {
          waiting.delete(taken)
          reject(unavailable(`no connection became free within ${waitMs} ms`))
        }, waitMs)
        const taken = () => {
          clearTimeout(giveUp)
          resolve()
        }
        waiting.add(taken)
      })
    },
    giveBack() {
      const [next] = waiting
      if (next === undefined) {
        free++
        return
      }
      waiting.delete(next)
      next()
    },
  }
}
