// Generates docs/metrics.md from the metrics of all services.
import { metricTable } from '../../libs/service/src/metrics/index.ts'
import { services } from './catalog.ts'

const preamble = `# Metrics

A test generates this page from the services' metric catalogs. Each service serves its metrics in Prometheus text format on the path
\`/metrics\` of its probe port (gateway 3020, public API 3010, workers 3030).

The name of a metric ends in its unit (\`_seconds\`, \`_bytes\`), or in \`_total\` if it is a counter. The number of label values is limited.
A closed label has only the values that this page lists. For an open label, this page lists no values; each process limits the number of
values of each open label. No label contains a project, a trace or an address. A counter with closed labels (up to 64 series) is 0 before
its first event. A counter with open labels has no series with the value 0: each of its series begins with the first event, so \`increase\`
does not count this event. To get the value of a service, add up the values of its processes, except for metrics whose description forbids
this.

Every process also exposes \`svc_build_info\` (\`version\`, \`node\`), \`process_*\` (CPU, memory, descriptors, start) and \`nodejs_*\` (event loop, heap, garbage collection) of the Node.js runtime.

\`deploy/monitoring/rules.yaml\` defines alerts on these metrics. Each alert has a runbook in \`docs/runbooks/alerts\`.
`

export const metricsPage = (): string =>
  `${preamble}${services.map(({ name, metrics }) => `\n## ${name}\n\n${metricTable(metrics).trimEnd()}\n`).join('')}`
