// Divides long reads into slices. Each iteration of the event loop runs only one slice, so that the slices of several readers do not add up
// to a long pause. With setImmediate alone, one iteration would run the slices of all readers.
const waiting: (() => void)[] = []

function resume(): void {
  const next = waiting.shift()
  if (waiting.length > 0) setImmediate(resume)
  next?.()
}

export const sliceMs = 3

/** Resolves in a later iteration of the event loop. If several readers wait, each iteration resolves the promise of only one reader. */
export function nextTurn(): Promise<void> {
  return new Promise(resolve => {
    waiting.push(resolve)
    if (waiting.length === 1) setImmediate(resume)
  })
}
