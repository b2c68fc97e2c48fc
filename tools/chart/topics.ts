// The topics as the chart's Strimzi templates take them: what the services would make themselves.
import { stringify } from 'yaml'
import { topicConfigOf } from '../../libs/log/src/kafka/topic-config.ts'
import { topicSpecs } from '../../libs/schema/src/topics.ts'

/** Stand for counts that the values say. */
const counts = { direct: 1_000_001, staging: 1_000_002 }

export function topicTable(): string {
  const specs = topicSpecs({ embedded: false, enabledReaders: [], partitions: counts })
  const topics = specs.map(spec => ({
    name: spec.name,
    partitions: Object.entries(counts).find(([, count]) => count === spec.partitions)?.[0] ?? spec.partitions,
    // How many replicas must be in sync is a value of the chart, beside how many there are.
    config: Object.fromEntries(Object.entries(topicConfigOf(spec, 1)).filter(([name]) => name !== 'min.insync.replicas')),
  }))
  return `# Made from libs/schema by a test.\n${stringify(topics)}`
}
