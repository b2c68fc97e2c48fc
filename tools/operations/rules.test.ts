// Runs promtool, a program of Prometheus, to check that alerts are valid, fire, and resolve. The test also checks that every alert has a
// runbook.
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { example, render } from '../chart/helm.ts'
import { ensureProgram } from '../programs/programs.ts'
import { alertCases } from './alert-cases.ts'
import { alerts } from './alerts.ts'
import { faultsOf, openCounters, storedNames, strangeNamesOf, strangeValuesOf } from './catalog.ts'
import { recordings } from './recordings.ts'
import { chartRules, plainRules, plainRulesOf, runbookOf, timesOf } from './rules.ts'

const root = resolve(import.meta.dirname, '../..')
const directory = mkdtempSync(join(tmpdir(), 'svc-rules-'))
const rulesFile = join(directory, 'rules.yaml')
let names: ReadonlyMap<string, readonly string[]>

beforeAll(async () => {
  await ensureProgram('promtool')
  writeFileSync(rulesFile, plainRules())
  names = await storedNames()
}, 1_500_000)
afterAll(() => rmSync(directory, { recursive: true, force: true }))

async function promtool(...args: readonly string[]): Promise<{ readonly ok: boolean; readonly said: string }> {
  try {
    const { stdout, stderr } = await promisify(execFile)(await ensureProgram('promtool'), args)
    return { ok: true, said: stdout + stderr }
  } catch (error) {
    const { stdout, stderr } = error as { readonly stdout: string; readonly stderr: string }
    return { ok: false, said: stdout + stderr }
  }
}

test('the files of the chart and of compose match the alerts', async () => {
  await expect(chartRules()).toMatchFileSnapshot(join(root, 'deploy/helm/files/rules.yaml'))
  await expect(plainRules()).toMatchFileSnapshot(join(root, 'deploy/monitoring/rules.yaml'))
})

test('promtool accepts the rules', async () => {
  expect(await promtool('check', 'rules', rulesFile)).toEqual({ ok: true, said: expect.stringContaining('SUCCESS') })
})

const recorded = new Map(recordings.map(({ record }) => [record, [] as readonly string[]]))
test.each([...recordings.map(({ record, expr }) => ({ name: record, expr })), ...alerts])(
  '$name asks for metrics and labels that exist',
  ({ expr }) => {
    const plain = [...recorded.keys()].reduce((text, name) => text.replaceAll(name, 'up'), expr.replaceAll(/@\d+s/g, '1m'))
    expect([...faultsOf(plain, names), ...strangeValuesOf(plain)]).toEqual([])
  },
)

test('finds a metric or a label that does not exist', () => {
  expect(faultsOf('sum(rate(svc_gateway_span_total[5m]))', names)).toEqual(['no metric svc_gateway_span_total'])
  expect(faultsOf('svc_gateway_spans_total{result="refused"} > 0', names)).toEqual(['svc_gateway_spans_total has no label result'])
  expect(faultsOf('sum by (project) (svc_gateway_spans_total)', names)).toEqual(['no metric here has the label project'])
})

test('no alert waits for the second event of a counter whose series begins with the first', () => {
  for (const { name, expr } of alerts)
    for (const [, counter] of expr.matchAll(/increase\((\w+)/g))
      if (openCounters.has(counter!))
        expect([name, expr]).toEqual([name, expect.stringContaining(`(${counter} unless ${counter} offset @`)])
})

test('each alert has a case that is quiet, fires and resolves', async () => {
  expect([...new Set(alertCases.map(({ alert }) => alert))].sort()).toEqual(alerts.map(({ name }) => name).sort())
  const files = alertCases.map(({ alert, series, labels = {}, quietAt, firesAt, overAt }, number) => {
    const { severity } = alerts.find(({ name }) => name === alert)!
    const firing = `ALERTS${JSON.stringify({ alertname: alert, alertstate: 'firing', severity, ...labels }).replaceAll(/"(\w+)":/g, '$1=')}`
    const at = (minutes: number, fires: boolean) => ({
      expr: `ALERTS{alertname="${alert}", alertstate="firing"}`,
      eval_time: `${minutes}m`,
      exp_samples: fires ? [{ labels: firing, value: 1 }] : [],
    })
    const rules = join(directory, `${number}.rules.yaml`)
    writeFileSync(rules, plainRulesOf(alert))
    const file = join(directory, `${number}.yaml`)
    const tests = [
      {
        name: alert,
        interval: '1m',
        input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
        promql_expr_test: [at(quietAt, false), at(firesAt, true), at(overAt, false)],
      },
    ]
    writeFileSync(file, stringify({ rule_files: [rules], evaluation_interval: '1m', tests }))
    return file
  })
  const { ok, said } = await promtool('test', 'rules', ...files)
  expect([ok, said.match(/SUCCESS/g)?.length], said).toEqual([true, files.length])
})

test('each alert has a runbook on its meaning, detection, remedy and resolution, and there are no other runbooks', () => {
  for (const { name } of alerts) {
    const path = join(root, runbookOf(name))
    const headings = existsSync(path) ? readFileSync(path, 'utf8').match(/^#+ .*$/gm) : null
    expect([name, headings]).toEqual([
      name,
      [`# ${name}`, '## What it means', '## How to see it', '## What to do', '## How to verify the fix'],
    ])
  }
  expect(readdirSync(join(root, 'docs/runbooks/alerts')).sort()).toEqual(alerts.map(({ name }) => runbookOf(name).split('/').at(-1)).sort())
})

test('finds a value that a closed label never has', () => {
  expect(strangeValuesOf('sum(svc_gateway_spans_total{outcome="lost"})')).toEqual(['svc_gateway_spans_total never has outcome="lost"'])
  expect(strangeValuesOf('svc_sdk_requests_total{sdk="python",version=~"[0-2]|x"}')).toEqual([
    'svc_sdk_requests_total never has version="x"',
  ])
})

const pages = [
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).map(file => join('docs', file)),
  ...['services', 'libs'].flatMap(folder => readdirSync(join(root, folder)).map(name => join(folder, name, 'README.md'))),
  ...['README.md', 'deploy/helm/README.md'],
].filter(file => file.endsWith('.md') && !file.startsWith('docs/adr') && existsSync(join(root, file)))
test.each(pages)('%s speaks of metrics and alerts that exist', file => {
  const text = readFileSync(join(root, file), 'utf8')
  expect(strangeNamesOf(text, names)).toEqual([])
  const said = text.match(/\bSvc[A-Z][a-z]+(?:[A-Z][a-z]+)+\b/g) ?? []
  expect(
    said.filter(name => !alerts.some(alert => alert.name === name) && !/^Svc(?:Client|Browser|Span|Trace|Error|Exporter)/.test(name)),
  ).toEqual([])
})

test('the chart scales every time of the rules, and knows every one', async () => {
  const rule = async (timeScale: string) =>
    JSON.stringify(
      (await render([example('ha')], { 'monitoring.rules.timeScale': timeScale })).find(({ kind }) => kind === 'PrometheusRule')!.spec,
    )
  const [plain, scaled] = [await rule('1'), await rule('0.01')]
  expect(plain + scaled).not.toContain('@')
  expect(plain).toContain('[300s]')
  expect(scaled).toContain('[3s]')
  expect(timesOf(chartRules()).every(seconds => plain.includes(`${seconds}s`))).toBe(true)
})
