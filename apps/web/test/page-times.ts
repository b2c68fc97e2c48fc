// Measures a trace page: how long it takes to become usable, how long main-thread tasks and key presses take, and how large the heap is.
import type { Page } from 'playwright-core'

export interface OpenTimes {
  /** Time between the request for the page and the painting of the selected row. */
  readonly usableMs: number
  /** Time between the start of the request for the tree and the last byte of its response. */
  readonly treeMs: number
  /** Longest main-thread task from the first script until the page is idle. */
  readonly longestTaskMs: number
  readonly longTasks: number
}

interface Watched {
  tasks: number[]
  events: number[]
}

/** Records long tasks and key presses. Call this function before the first page is opened. */
export async function watchTasks(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const watched = { tasks: [] as number[], events: [] as number[] }
    Object.assign(window, { watched })
    new PerformanceObserver(list => {
      for (const { duration } of list.getEntries()) watched.tasks.push(duration)
    }).observe({ type: 'longtask', buffered: true })
    const slow = new PerformanceObserver(list => {
      for (const { duration, name } of list.getEntries()) if (name === 'keydown') watched.events.push(duration)
    })
    slow.observe({ type: 'event', durationThreshold: 16, buffered: true } as PerformanceObserverInit)
  })
}

const watchedIn = (page: Page): Promise<Watched> => page.evaluate(() => (window as unknown as { watched: Watched }).watched)

export async function openTimes(page: Page, path: string): Promise<OpenTimes> {
  const treeEnded = page
    .waitForResponse(response => response.url().endsWith('/tree'))
    .then(async response => {
      await response.finished()
      return response.request().timing().responseEnd
    })
  await page.goto(path, { waitUntil: 'commit' })
  const usableMs = await page.evaluate(
    () =>
      new Promise<number>(resolve => {
        const look = () => {
          const isThere = document.querySelector('[role=row][aria-selected=true]') !== null
          requestAnimationFrame(isThere ? () => setTimeout(() => resolve(performance.now())) : look)
        }
        look()
      }),
  )
  const treeMs = await treeEnded
  await page.getByRole('region', { name: 'Details' }).getByRole('heading').first().waitFor()
  await settled(page)
  const { tasks } = await watchedIn(page)
  return {
    ...{ usableMs: Math.round(usableMs), treeMs: Math.round(treeMs) },
    ...{ longestTaskMs: Math.round(Math.max(0, ...tasks)), longTasks: tasks.length },
  }
}

const settled = (page: Page): Promise<void> => page.evaluate(() => new Promise(resolve => requestIdleCallback(() => resolve())))

export interface KeyTimes {
  readonly presses: number
  readonly p95Ms: number
  readonly longestTaskMs: number
}

/**
 * Presses many keys and measures how long each press takes. Browsers do not report a press of less than 16 ms, so such a press counts as 16
 * ms.
 */
export async function keyTimes(page: Page): Promise<KeyTimes> {
  const keys = [...Array<string>(30).fill('ArrowDown'), ...Array<string>(10).fill('ArrowUp'), 'ArrowLeft', 'ArrowRight', 'End', 'Home']
  const all = [...keys, 'c', 'c', 'z', 'z', 's', '$', ...Array<string>(20).fill('PageDown'), ...Array<string>(10).fill('PageUp')]
  await page.evaluate(() => {
    const { watched } = window as unknown as { watched: Watched }
    watched.tasks.length = 0
    watched.events.length = 0
  })
  for (const key of all) await page.keyboard.press(key)
  await settled(page)
  const { events, tasks } = await watchedIn(page)
  const times = [...events, ...Array<number>(Math.max(0, all.length - events.length)).fill(16)].sort((a, b) => a - b)
  return { presses: all.length, p95Ms: times[Math.floor(times.length * 0.95)]!, longestTaskMs: Math.round(Math.max(0, ...tasks)) }
}

/** Returns the size of the heap after a garbage collection, in MB. */
export async function heapMb(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page)
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = (await session.send('Runtime.getHeapUsage')) as { readonly usedSize: number }
  await session.detach()
  return Math.round(usedSize / 1e6)
}
