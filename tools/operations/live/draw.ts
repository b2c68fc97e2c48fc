// Draws the pictures of docs/dashboards from what the suite beside this file has asked Prometheus: `node tools/operations/live/draw.ts`.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Answered, drawDashboard, panelsOf } from './draw-dashboard.ts'

const root = resolve(import.meta.dirname, '../../..')
const folder = join(root, 'docs/dashboards')
const { range, answered } = JSON.parse(readFileSync(join(root, '.cache/watched/dashboards.json'), 'utf8')) as {
  readonly range: { readonly from: number; readonly to: number }
  readonly answered: readonly Answered[]
}

mkdirSync(folder, { recursive: true })
for (const dashboard of new Set(answered.map(({ dashboard }) => dashboard))) {
  const answers = answered.filter(answer => answer.dashboard === dashboard)
  const { title } = answers[0]!
  const svg = drawDashboard(title.replace(/^svc \/ /, ''), panelsOf(answers), range)
  writeFileSync(join(folder, `${dashboard}.svg`), svg)
  process.stdout.write(`${dashboard}.svg: ${Math.round(svg.length / 1024)} KiB\n`)
}
