// Generates the topics of the chart's Strimzi templates. The topics have the same settings as topics that the services create.
import { stringify } from 'yaml'
import { topicConfigOf } from '../../libs/log/src/kafka/topic-config.ts'
import { topicSpecs } from '../../libs/schema/src/topics.ts'

/** Placeholders for the numbers of partitions. A template replaces each placeholder with the number in the chart's values. */
const counts = { direct: 1_000_001, staging: 1_000_002 }

export function topicTable(): string {
  const specs = topicSpecs({ embedded: false, enabledReaders: [], partitions: counts })
  const topics = specs.map(spec => ({
    name: spec.name,
    partitions: Object.entries(counts).find(([, count]) => count === spec.partitions)?.[0] ?? spec.partitions,
    config: Object.fromEntries(Object.entries(topicConfigOf(spec, 1)).filter(([name]) => name !== 'min.insync.replicas')),
  }))
  return `# Generated from libs/schema by a test.\n${stringify(topics)}`
}
