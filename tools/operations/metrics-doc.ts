// Generates docs/metrics.md from the metric catalogs of all services.
import { metricTable } from '../../libs/service/src/metrics/index.ts'
import { services } from './catalog.ts'

const preamble = `# Metrics

Made from the services' catalogs by a test. Prometheus text format, on \`/metrics\` of each service's probe port (gateway 3020, public API 3010, workers 3030).

Names end in their unit (\`_seconds\`, \`_bytes\`) or, counters, in \`_total\`. Labels are bounded: a closed one has the values that stand here, an open one (no values here) is cut to
a number of series by the process. No label is a project, a trace or an address. A counter with closed labels (up to 64 series of them) is 0 before its first event; one with open labels begins with it, and \`increase\` does not see the first. Several processes of a service are added
up, but for those that say that every one counts the same.

Every process also has \`svc_build_info\` (\`version\`, \`node\`), \`process_*\` (CPU, memory, descriptors, start) and \`nodejs_*\` (event loop, heap, garbage collection) of its runtime.

Alerts on them: \`deploy/monitoring/rules.yaml\`, each with a runbook in \`docs/runbooks/alerts\`.
`

export const metricsPage = (): string =>
  `${preamble}${services.map(({ name, metrics }) => `\n## ${name}\n\n${metricTable(metrics).trimEnd()}\n`).join('')}`
