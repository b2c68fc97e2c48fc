// Bounds what all requests in flight may hold, in decoded bytes, in all and per key: a full gateway refuses instead of growing (F29, F40).
import { AppError } from '@svc-server/errors'

export interface BudgetLimits {
  readonly maxBytes: number
  readonly maxBytesPerKey: number
}

/** A request's share. Growing may be refused; shrinking and releasing never fail. */
export interface Lease {
  readonly bytes: number
  /** Throws `overloaded` (the key's share is used up) or `at_capacity` (the process's is); the lease then keeps what it had. */
  resize(bytes: number): void
  release(): void
}

export interface Budget {
  readonly usedBytes: number
  reserve(key: string, bytes: number): Lease
}

export function createBudget({ maxBytes, maxBytesPerKey }: BudgetLimits): Budget {
  let usedBytes = 0
  const perKey = new Map<string, number>()

  const take = (key: string, bytes: number) => {
    const used = perKey.get(key) ?? 0
    if (bytes > 0 && used + bytes > maxBytesPerKey) {
      throw new AppError('overloaded', `Requests of this key already hold ${used} of ${maxBytesPerKey} bytes in flight.`)
    }
    if (bytes > 0 && usedBytes + bytes > maxBytes) {
      throw new AppError('at_capacity', `Requests in flight already hold ${usedBytes} of ${maxBytes} bytes.`)
    }
    usedBytes += bytes
    if (used + bytes === 0) perKey.delete(key)
    else perKey.set(key, used + bytes)
  }

  return {
    get usedBytes() {
      return usedBytes
    },
    reserve(key, initial) {
      take(key, initial)
      let held = initial
      return {
        get bytes() {
          return held
        },
        resize(bytes) {
          take(key, bytes - held)
          held = bytes
        },
        release() {
          take(key, -held)
          held = 0
        },
      }
    },
  }
}
