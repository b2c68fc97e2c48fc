// Makes long reads yield to the event loop between slices. Slices of several readers must not add up to one long block, so only one waiting
// reader continues in each turn of the event loop. With setImmediate alone, all callbacks would run in the same turn.
const waiting: (() => void)[] = []

function resume(): void {
  const next = waiting.shift()
  if (waiting.length > 0) setImmediate(resume)
  next?.()
}

/** Maximum duration of one slice of reading. */
export const sliceMs = 3

/** Resolves in a turn of the event loop that no other reader uses. */
export function nextTurn(): Promise<void> {
  return new Promise(resolve => {
    waiting.push(resolve)
    if (waiting.length === 1) setImmediate(resume)
  })
}
