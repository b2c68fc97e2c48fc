// One change of a project at a time, for rules that no constraint holds: a name that is free, the next number of a version. Within
// the process changes queue before they take a connection: a burst of one project that waits for the lock of its row would
// otherwise hold the whole pool, and with it the keys of everybody.
import { AppError } from '@svc-server/errors'

/** Of one project, behind the one that runs. */
const maxWaiting = 100

interface Queue {
  last: Promise<unknown>
  size: number
}

const queues = new WeakMap<object, Map<string, Queue>>()

/** Runs the work when all that came before it under this key have ended. Throws `overloaded` when too many wait. */
export async function inTurn<T>(store: object, key: string, work: () => Promise<T>): Promise<T> {
  const keys = queues.get(store) ?? new Map<string, Queue>()
  queues.set(store, keys)
  const queue = keys.get(key) ?? { last: Promise.resolve(), size: 0 }
  keys.set(key, queue)
  if (queue.size > maxWaiting) throw new AppError('overloaded', 'Too many changes of the project are under way.')
  queue.size++
  const turn = queue.last.then(work)
  queue.last = turn.catch(() => {})
  try {
    return await turn
  } finally {
    queue.size--
    if (queue.size === 0) keys.delete(key)
  }
}
