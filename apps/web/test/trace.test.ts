import { sized } from '@svc-server/testkit'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser, openPage, violations, type WatchedPage } from './browser.ts'
import { type Instance, startInstance } from './instance.ts'

let instance: Instance
let browser: Browser
let watched: WatchedPage
let page: Page
let project: string

const trace = (letter: string) => letter.repeat(32)
const idOf = (at: number) => (at + 1).toString(16).padStart(16, '0')
const begin = BigInt(Date.now() - 120_000) * 1_000_000n
const ns = (ms: number) => String(begin + BigInt(Math.round(ms * 1_000)) * 1_000n)

interface Given {
  readonly name: string
  readonly parent?: number
  readonly from: number
  readonly to: number
  readonly fails?: string
  readonly type?: string
  readonly input?: string
  readonly output?: string
}

const span = (letter: string, at: number, { name, parent, from, to, fails, ...texts }: Given) => ({
  ...{ traceId: trace(letter), spanId: idOf(at), name, kind: 1, ...(parent !== undefined && { parentSpanId: idOf(parent) }) },
  ...{ startTimeUnixNano: ns(from), endTimeUnixNano: ns(to), status: fails === undefined ? {} : { code: 2, message: fails } },
  attributes: Object.entries(texts).map(([key, value]) => ({ key: `svc.observation.${key}`, value: { stringValue: value } })),
})

const evil = '<img src=x onerror="window.isHurt=1"><script>window.isHurt=1</script>'
const chat = [
  { role: 'user', content: 'Where is parcel 9007199254740993?' },
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'c1', type: 'function', function: { name: 'search', arguments: '{"parcel":9007199254740993}' } }],
  },
]
const agent = [
  span('a', 0, { name: 'answer', from: 0, to: 1_000, type: 'agent', input: 'a question' }),
  span('a', 1, { name: 'plan', parent: 0, from: 10, to: 300, type: 'generation', input: JSON.stringify({ messages: chat }) }),
  ...Array.from({ length: 6 }, (_, at) =>
    span('a', 2 + at, { name: 'fetch', parent: 0, from: 310 + at, to: 320 + 30 * at, type: 'retriever' }),
  ),
  span('a', 8, {
    name: 'write',
    parent: 0,
    from: 600,
    to: 990,
    type: 'generation',
    fails: 'upstream timeout',
    output: 'the **hidden** needle',
  }),
]
const hostile = [
  span('b', 0, {
    name: evil,
    from: 0,
    to: 1_000,
    input: `${evil} \u202Elive`,
    output: `# Title\n\n${evil}\n\n[x](javascript:window.isHurt=1) ![p](https://elsewhere.example/p.png)`,
  }),
  span('b', 1, { name: 'long', parent: 0, from: 1, to: 900, input: 'w'.repeat(1_000_000) }),
  span('b', 2, { name: 'deep', parent: 0, from: 2, to: 900, input: `${'['.repeat(1_400)}1${']'.repeat(1_400)}` }),
]
const large = sized(10_000, 2_000)
const batch = sized(2_500, 2_000)

beforeAll(async () => {
  ;[instance, browser] = await Promise.all([startInstance(), openBrowser()])
  // A request can fail while the store is busy. The app then sends the request again.
  watched = await openPage(browser, instance.url, { expected: /status of 503|traces\/d{32}\/tree/ })
  page = watched.page
  page.setDefaultTimeout(60_000)
  await instance.send([...agent, ...hostile])
  for (let at = 0; at < large; at += batch) {
    await instance.send(
      Array.from({ length: batch }, (_, n) => {
        const number = at + n
        const parent = number === 0 ? {} : { parent: Math.floor((number - 1) / 3) }
        return span('c', number, { name: `step ${number % 20}`, ...parent, from: number, to: 2 * large - number })
      }),
    )
  }
  await page.goto(instance.link)
  await page.waitForURL(/\/project\/[^/]+\//)
  project = /\/project\/([^/]+)\//.exec(page.url())![1]!
  await arrived('a', agent.length)
  await arrived('b', hostile.length)
  await arrived('c', large)
})
afterAll(async () => {
  await watched?.[Symbol.asyncDispose]()
  await browser?.close()
  await instance?.[Symbol.asyncDispose]()
})

const pathOf = (letter: string) => `/project/${project}/traces/${trace(letter)}`

async function arrived(letter: string, count: number): Promise<void> {
  for (;;) {
    const response = await page.request.get(`/api/ui/projects/${project}/traces/${trace(letter)}/tree`, {
      headers: { 'sec-fetch-site': 'same-origin' },
    })
    const body: { readonly trace?: { readonly observations: number } } = await response.json()
    if (body.trace?.observations === count) return
    await new Promise(resolve => setTimeout(resolve, 500))
  }
}

const patient = { timeout: 60_000 }
/** Polls less often, for checks that load the page again. */
const rarely = { ...patient, interval: 500 }
const tree = () => page.getByRole('treegrid')
const selected = () => page.locator('[role=row][aria-selected=true]')
const detail = () => page.getByRole('region', { name: 'Details' })
async function open(letter: string, more = ''): Promise<void> {
  await page.goto(pathOf(letter) + more)
  await selected().waitFor()
}
const opened = (name: string) => detail().getByRole('heading', { name, exact: false }).first().waitFor()

test('a trace opens at its first error, and the address names the open observation', async () => {
  await open('a')
  await expect.poll(() => selected().textContent(), patient).toContain('write')
  await detail().getByText('upstream timeout').waitFor()
  await page.waitForURL(`**${pathOf('a')}?o=${idOf(8)}`)
  await page.reload()
  await selected().waitFor()
  await expect.poll(() => selected().textContent(), patient).toContain('write')
})

test('keys walk the tree: they unfold groups, fold rows, go to the slowest child and show the critical path', async () => {
  await open('a', `?o=${idOf(0)}`)
  await expect.poll(() => tree().getAttribute('aria-rowcount'), patient).toBe('5')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await expect.poll(() => selected().textContent(), patient).toContain('fetch ×6')
  await page.keyboard.press('ArrowRight')
  await expect.poll(() => tree().getAttribute('aria-rowcount'), patient).toBe('11')
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('ArrowLeft')
  await expect.poll(() => selected().textContent(), patient).toContain('answer')
  await page.keyboard.press('ArrowLeft')
  await expect.poll(() => tree().getAttribute('aria-rowcount'), patient).toBe('2')
  expect(await selected().getAttribute('aria-expanded')).toBe('false')
  await page.keyboard.press('s')
  await expect.poll(() => selected().textContent(), patient).toContain('write')
  await page.keyboard.press('c')
  await page.getByText(/^1\.00 s = write 390 ms \+ plan 290 ms/).waitFor()
  await page.keyboard.press('c')
})

test('names are found while the user types, and contents after Enter', async () => {
  await open('a', `?o=${idOf(0)}`)
  await page.keyboard.press('/')
  await page.keyboard.type('plan')
  await page.getByText('1/1').waitFor()
  await page.getByRole('searchbox', { name: 'Find in this trace' }).fill('needle')
  await page.getByText('nothing', { exact: false }).first().waitFor()
  await page.keyboard.press('Enter')
  await page.waitForFunction(() => document.querySelector('[role=row][aria-selected=true]')?.textContent?.includes('write'))
})

test('a chat shows its messages, and numbers as written', async () => {
  await open('a', `?o=${idOf(1)}`)
  await opened('plan')
  const input = detail().getByRole('region', { name: 'Input' })
  await input.getByText('Where is parcel 9007199254740993?').waitFor()
  await input.getByText('9007199254740993', { exact: true }).waitFor()
})

test('a comment is written and read', async () => {
  await open('a', `?o=${idOf(8)}`)
  await detail().getByRole('textbox', { name: 'Write a comment' }).fill('Seen before')
  await detail().getByRole('button', { name: 'Comment' }).click()
  await detail().getByRole('article').getByText('Seen before').waitFor()
})

test('each column shows the rule that filled it and its source', async () => {
  await open('a', `?o=${idOf(1)}`)
  await opened('plan')
  await detail().getByText('Explain each column').click()
  const rules = detail().getByRole('region', { name: 'Explain each column' })
  await rules.getByRole('rowheader', { name: 'type', exact: true }).waitFor()
  const row = rules.getByRole('row').filter({ has: page.getByRole('rowheader', { name: 'type', exact: true }) })
  expect(await row.textContent()).toContain('svc.observation.type')
})

test('the page of a missing trace reports where it was searched for', async () => {
  await page.goto(pathOf('d'))
  await page.getByText('Nothing of this trace is in the tables', { exact: false }).waitFor()
})

test('untrusted contents have no effect, rendered or not', async () => {
  await open('b', `?o=${idOf(0)}`)
  await detail().getByText('live', { exact: false }).first().waitFor()
  await detail().getByRole('button', { name: 'Markdown' }).last().click()
  await detail().getByRole('heading', { name: 'Title' }).waitFor()
  expect(await detail().locator('img, script, iframe, a[href^="javascript"]').count()).toBe(0)
  for (const at of [1, 2]) {
    await open('b', `?o=${idOf(at)}`)
    await detail().getByRole('region', { name: 'Input' }).waitFor()
  }
  await detail().getByRole('button', { name: 'Raw' }).first().click()
  expect(await page.evaluate(() => 'isHurt' in window)).toBe(false)
})

test('of thousands of observations, only the visible ones are in the page', async () => {
  await open('c', `?o=${idOf(0)}`)
  const header = page.getByText(`${large.toLocaleString('en-US')} observations`)
  await header.waitFor()
  await page.keyboard.press('End')
  await page.keyboard.press('Home')
  await expect.poll(() => selected().getAttribute('aria-level'), patient).toBe('1')
  await page.getByRole('searchbox', { name: 'Find in this trace' }).fill('step 7')
  await page.getByText(`1/${large / 20}`).waitFor()
  await page.keyboard.press('Escape')
  await page.goto(`${pathOf('c')}?o=${idOf(large - 1)}`)
  // Every observation has up to three children. The tree's depth grows with the logarithm of its size.
  const level = String(sized(10, 8))
  await page.waitForFunction(id => document.querySelector('[role=row][aria-selected=true]')?.getAttribute('aria-level') === id, level)
  expect(await tree().getByRole('row').count()).toBeLessThan(60)
})

test('a public trace is readable without signing in, and a private one is not', async () => {
  await open('a')
  await page.getByRole('button', { name: 'Make public' }).click()
  await page.getByRole('button', { name: 'Public', exact: true }).waitFor()
  await using stranger = await openPage(browser, instance.url, { expected: /40[14]/ })
  const rows = stranger.page.locator('[role=row][aria-selected=true]')
  await expect
    .poll(async () => {
      const [answer] = await Promise.all([stranger.page.waitForResponse(/\/tree$/), stranger.page.goto(pathOf('a'))])
      return answer.status()
    }, rarely)
    .toBe(200)
  await rows.getByText('write').waitFor()
  await stranger.page.goto(pathOf('b'))
  await stranger.page.getByRole('heading', { name: 'There is no such trace' }).waitFor()
  expect(stranger.complaints).toEqual([])
})

test('compares two traces side by side', async () => {
  await page.goto(`${pathOf('a')}/compare/${trace('b')}`)
  await page.getByRole('heading', { name: 'Compare two traces' }).waitFor()
  await page.getByText('8 only A').waitFor()
  await page.getByRole('region', { name: 'Input' }).waitFor()
})

// In the quick run, app.test.ts checks a trace in the dark theme.
test.each(sized<readonly ('light' | 'dark')[]>(['light', 'dark'], ['light']))(
  'no accessibility rule is violated in the %s theme',
  async theme => {
    await page.emulateMedia({ colorScheme: theme })
    await open('a', `?o=${idOf(1)}`)
    await opened('plan')
    await detail().getByRole('region', { name: 'Input' }).waitFor()
    expect(await violations(page)).toEqual([])
  },
)

test('on a phone no element is wider than the page, and no accessibility rule is violated', async () => {
  // This size corresponds to a window of 1440 x 900 pixels at 400 % zoom.
  await page.setViewportSize({ width: 360, height: 225 })
  await open('a', `?o=${idOf(1)}`)
  await opened('plan')
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
  expect(await violations(page)).toEqual([])
  await page.setViewportSize({ width: 1440, height: 900 })
})

test('the browser reported no problems', () => expect(watched.complaints).toEqual([]))
