// A dashboard as one picture: panels beside each other, in the order of the dashboard.
import { type DrawnPanel, drawPanel, escaped } from './draw-panel.ts'
import type { Series } from './prometheus-server.ts'

/** What a query of a panel was answered. */
export interface Answered {
  readonly dashboard: string
  readonly title: string
  readonly panel: string
  readonly unit: string
  readonly legend: string
  readonly series: readonly Series[]
}

const [width, height, gap, head] = [520, 230, 12, 44]

/** `{{label}}` of a legend as Grafana fills it in. */
const named = (legend: string, metric: Series['metric']) =>
  legend.replaceAll(/\{\{(\w+)\}\}/g, (_, label: string) => metric[label] ?? '').trim()

/** Its panels with all of their lines. */
export function panelsOf(answers: readonly Answered[]): readonly DrawnPanel[] {
  const questions = [...new Set(answers.map(({ panel }) => panel))]
  return questions.map(question => {
    const of = answers.filter(({ panel }) => panel === question)
    const lines = of.flatMap(({ legend, series }) => series.map(({ metric, values }) => ({ name: named(legend, metric), values })))
    return { question, unit: of[0]!.unit, lines }
  })
}

/** `range`: seconds since 1970. */
export function drawDashboard(
  title: string,
  panels: readonly DrawnPanel[],
  range: { readonly from: number; readonly to: number },
  columns = 2,
): string {
  const rows = Math.ceil(panels.length / columns)
  const whole = { width: columns * (width + gap) + gap, height: head + rows * (height + gap) }
  const drawn = panels.map((panel, index) =>
    drawPanel(panel, range, {
      left: gap + (index % columns) * (width + gap),
      top: head + Math.floor(index / columns) * (height + gap),
      width,
      height,
    }),
  )
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${whole.width} ${whole.height}" width="${whole.width}" font-family="DejaVu Sans, Verdana, sans-serif">
<title>${escaped(title)}</title><rect width="100%" height="100%" fill="#f6f7f9"/>
<text x="${gap + 4}" y="29" font-size="18" font-weight="600" fill="#1c2127">${escaped(title)}</text>
${drawn.join('\n')}
</svg>
`
}
