// Opens a trace with more observations than the page loads at once. The sums must be exact. The page must load children on demand. A link
// to an observation must also work if the page does not load this observation at first.
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser, openPage, violations, type WatchedPage } from './browser.ts'
import { type Instance, startInstance } from './instance.ts'

const agents = 300
const leaves = 499
const all = 1 + agents * (1 + leaves)
const trace = 'c'.repeat(32)
const idOf = (at: number) => at.toString(16).padStart(16, '0')
const agent = (at: number) => idOf(at * (leaves + 1) + 1)

let instance: Instance
let browser: Browser
let watched: WatchedPage
let page: Page
beforeAll(async () => {
  ;[instance, browser] = await Promise.all([startInstance(), openBrowser()])
  watched = await openPage(browser, instance.url)
  page = watched.page
  page.setDefaultTimeout(120_000)
  // Row 0 is the root. After the row of each agent, the rows of its leaves follow. Each leaf costs $0.001 and has 2 tokens. The last leaf
  // of each agent has failed.
  const [family, place] = [`intDiv(number - 1, ${leaves + 1})`, `(number - 1) % ${leaves + 1}`]
  await instance.sql(`INSERT INTO events_full (project_id, trace_id, span_id, parent_span_id, name, type, level, environment, start_time, end_time,
      event_ts, cost_details, usage_details)
    SELECT 'default-project', '${trace}', leftPad(lower(hex(number)), 16, '0'),
      multiIf(number = 0, '', ${place} = 0, '${idOf(0)}', leftPad(lower(hex(${family} * ${leaves + 1} + 1)), 16, '0')),
      multiIf(number = 0, 'run', ${place} = 0, concat('agent ', toString(${family})), concat('step ', toString(number))),
      if(number > 0 AND ${place} > 0, 'TOOL', 'AGENT'), if(${place} = ${leaves}, 'ERROR', 'DEFAULT'), 'default',
      now64(6) - INTERVAL 10 MINUTE + toIntervalMicrosecond(number * 1000), now64(6) - INTERVAL 10 MINUTE + toIntervalMicrosecond(number * 1000 + 500), now64(6),
      if(number > 0 AND ${place} > 0, map('total', toDecimal64(0.001, 12)), map()), if(number > 0 AND ${place} > 0, map('total', toUInt64(2)), map())
    FROM numbers(${all})`)
  await page.goto(instance.link)
  await page.waitForURL(/\/project\/[^/]+\//)
})
afterAll(async () => {
  await watched?.[Symbol.asyncDispose]()
  await browser?.close()
  await instance?.[Symbol.asyncDispose]()
})

const row = (name: RegExp) => page.getByRole('row', { name })

test('the top of the trace is shown with exact sums', async () => {
  await page.goto(`/project/default-project/traces/${trace}?o=${idOf(0)}`)
  await page.getByText(/^[\d,]+ of 150,001 observations are loaded\./).waitFor()
  const root = row(/^run /)
  await root.waitFor()
  expect(await root.textContent()).toContain('$149.70')
  await row(/^agent 0 (?!.*below)/).waitFor()
})

test('the children of a row are loaded when it is opened', async () => {
  await page.getByRole('treegrid').focus()
  await page.keyboard.press('End')
  const last = row(/^agent 299/)
  await last.filter({ hasText: '499 below' }).waitFor()
  expect(await last.textContent()).toContain('$0.4990')
  expect(await last.getAttribute('aria-expanded')).toBe('false')
  await page.keyboard.press('ArrowRight')
  await row(/^agent 299 (?!.*below)/).waitFor()
  expect(await row(/^agent 299/).getAttribute('aria-expanded')).toBe('true')
  expect(await row(/^agent 299/).textContent()).toContain('$0.4990')
  await page.waitForURL(new RegExp(`o=${agent(299)}`))
  await page.getByRole('treegrid').focus()
  await page.keyboard.press('End')
  await row(/^step 150000/).waitFor()
  await page.getByRole('region', { name: 'Details' }).getByRole('heading', { name: 'step 150000' }).waitFor()
})

test('a link to an observation that is not loaded at first opens it below its parents', async () => {
  const at = 250 * (leaves + 1) + 10
  await page.goto(`/project/default-project/traces/${trace}?o=${idOf(at)}`)
  await row(new RegExp(`^step ${at} `)).waitFor()
  await page
    .getByRole('region', { name: 'Details' })
    .getByRole('heading', { name: `step ${at}` })
    .waitFor()
  await page.emulateMedia({ reducedMotion: 'reduce' })
  expect(await violations(page)).toEqual([])
  expect(watched.complaints).toEqual([])
})
