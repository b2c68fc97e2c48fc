// Opens every page on a phone, at 400 % zoom, and in both themes.
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser, openPage, violations, type WatchedPage } from './browser.ts'
import { type Instance, startInstance, traceOf } from './instance.ts'

const traces = 10
const trace = '4'.padStart(32, '0')
let instance: Instance
let browser: Browser
let watched: WatchedPage

beforeAll(async () => {
  ;[instance, browser] = await Promise.all([startInstance(), openBrowser()])
  watched = await openPage(browser, instance.url, { expected: /status of 40[14]/ })
  watched.page.setDefaultTimeout(60_000)
  await instance.send(Array.from({ length: traces }, (_, at) => traceOf(at)).flat())
  await instance.readable(2 * traces)
  const score = { name: 'quality', value: 0.5, traceId: trace }
  const headers = { authorization: instance.authorization, 'content-type': 'application/json' }
  await fetch(`${instance.url}/api/public/scores`, { method: 'POST', headers, body: JSON.stringify(score) })
  await watched.page.goto(instance.link)
  await watched.page.getByRole('gridcell', { name: 'question 0' }).waitFor()
})
afterAll(async () => {
  await watched?.[Symbol.asyncDispose]()
  await browser?.close()
  await instance?.[Symbol.asyncDispose]()
})

const pages = {
  observations: ['/project/default-project/observations', '[role=gridcell]'],
  peek: [`/project/default-project/observations?peek=${trace}:${'7'.padStart(16, '0')}`, 'aside dl'],
  differences: ['/project/default-project/observations?differs=1', '[role=gridcell]'],
  trace: [`/project/default-project/traces/${trace}`, '[role=row][aria-selected=true]'],
  missing: [`/project/default-project/traces/${'b'.repeat(32)}`, 'h2'],
  compare: [`/project/default-project/traces/${trace}/compare/${'5'.padStart(32, '0')}`, 'h1'],
  sessions: ['/project/default-project/sessions', 'table'],
  session: ['/project/default-project/sessions/session-0', 'ol li'],
  users: ['/project/default-project/users', 'table'],
  scores: ['/project/default-project/scores', 'table'],
  settings: ['/project/default-project/settings', 'table'],
  system: ['/system', 'table'],
  'sign-in': ['/sign-in', 'form'],
  invitation: ['/setup?token=none&choose=1', 'form'],
} as const
/** The second size corresponds to a window of 1440 x 900 pixels at 400 % zoom. */
const windows = [
  [360, 740],
  [360, 225],
] as const

/** Returns by how many pixels the page is wider than the window. A wide table does not count, because it scrolls in its own frame. */
const hiddenPixels = (page: Page) =>
  page.evaluate(() =>
    [document.documentElement, document.getElementById('content')].reduce(
      (most, element) => (element === null ? most : Math.max(most, element.scrollWidth - element.clientWidth)),
      0,
    ),
  )

test.each(Object.entries(pages))('%s', async (_, [path, shown]) => {
  const { page } = watched
  await page.emulateMedia({ reducedMotion: 'reduce' })
  for (const [width, height] of windows) {
    await page.setViewportSize({ width, height })
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await page.goto(path)
      await page.locator(shown).first().waitFor()
      expect([width, height, colorScheme, ...(await violations(page))]).toEqual([width, height, colorScheme])
      expect(await hiddenPixels(page)).toBe(0)
    }
  }
})

test('the browser reported no problems', () => expect(watched.complaints).toEqual([]))
