// Lets HTTP/2 connections begin their requests in turn. A connection can send a hundred requests at once. If all requests of two hundred
// connections began as soon as they are parsed, they would block the event loop for seconds.

/** In one iteration of the event loop, `run` begins requests only during this time. The next iterations begin the other requests. */
const budgetMs = 5

/** Calls `begin` when the connection `owner` gets its turn, but never synchronously. */
export function createStreamTurns(): (owner: object, begin: () => void) => void {
  const lines = new Map<object, (() => void)[]>()
  let isScheduled = false

  function schedule(): void {
    if (isScheduled) return
    isScheduled = true
    setImmediate(run)
  }

  function run(): void {
    isScheduled = false
    const untilMs = performance.now() + budgetMs
    for (const [owner, line] of lines) {
      if (performance.now() > untilMs) return schedule()
      lines.delete(owner)
      const begin = line.shift()!
      if (line.length > 0) lines.set(owner, line)
      begin()
    }
  }

  return (owner, begin) => {
    const line = lines.get(owner)
    if (line === undefined) lines.set(owner, [begin])
    else line.push(begin)
    schedule()
  }
}
