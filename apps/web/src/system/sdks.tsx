// A list of SDKs that sent data in the last days.
import { useQuery } from '@tanstack/react-query'
import { call, type ResultOf } from '../api/client.ts'
import { Section } from '../design/page.tsx'
import { type PlainColumn, PlainTable } from '../design/plain-table.tsx'
import { placesText } from '../text/places.ts'
import { count, dayAndMinute, everyForm } from '../text/units.ts'

type Line = ResultOf<'webSystem.sdks'>['sdks'][number]

const text = placesText.system

const columns: readonly PlainColumn<Line>[] = [
  { title: text.sdk, show: ({ sdk }) => <bdi>{sdk}</bdi> },
  { title: text.sdkVersion, show: ({ version }) => <bdi>{version}</bdi> },
  { title: text.way, show: ({ path }) => text.ways[path] ?? path },
  { title: text.spans, isNumeric: true, show: ({ spans }) => count(spans) },
  { title: text.events, isNumeric: true, show: ({ events }) => count(events) },
  { title: text.requests, isNumeric: true, show: ({ requests }) => count(requests) },
  { title: text.lastSeen, show: ({ lastSeen }) => <span title={everyForm(lastSeen)}>{dayAndMinute(lastSeen)}</span> },
  { title: text.move, show: ({ move }) => move },
]

export function Sdks() {
  const { data, error, refetch } = useQuery({
    queryKey: ['system', 'sdks'],
    queryFn: ({ signal }) => call('webSystem.sdks', { signal }),
    staleTime: 60_000,
  })
  return (
    <Section title={text.sdks} {...(data && { help: text.sdksHelp(data.since) })}>
      <PlainTable
        label={text.sdks}
        columns={columns}
        lines={data?.sdks.toSorted((a, b) => Number(b.move !== null) - Number(a.move !== null))}
        keyOf={({ sdk, version, path }) => `${sdk} ${version} ${path}`}
        empty={text.noSdks}
        isPart={true}
        error={error}
        onRetry={() => void refetch()}
      />
    </Section>
  )
}
