// A section of the settings page that removes the example traces.
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../design/button.tsx'
import { Section } from '../design/page.tsx'
import { exampleTag } from '../first-run/examples.ts'
import { matchingRows, type Progress, runBulk } from '../observations/bulk.ts'
import { observationsText } from '../text/observations.ts'
import { placesText } from '../text/places.ts'
import { count } from '../text/units.ts'

const text = placesText.settings

export function Examples({ project }: { readonly project: string }) {
  const [progress, setProgress] = useState<Progress | undefined>(undefined)
  const remove = useMutation({
    async mutationFn() {
      const { signal } = new AbortController()
      const isExample = { type: 'arrayOptions', column: 'traceTags', operator: 'any of', value: [exampleTag] } as const
      const isRoot = { type: 'boolean', column: 'isRootObservation', operator: '=', value: true } as const
      const everyTime = { fromMs: 0, toMs: Date.now(), isRelative: true }
      const rows = await matchingRows(project, [isExample, isRoot], everyTime, signal)
      await runBulk(project, { kind: 'delete' }, rows, { signal, onProgress: setProgress })
    },
  })
  return (
    <Section title={text.examples} help={text.examplesHelp(exampleTag)}>
      <div>
        <Button look="danger" disabled={remove.isPending} onClick={() => confirm(text.examplesSure) && remove.mutate()}>
          {text.removeExamples}
        </Button>{' '}
        <span role="status">
          {progress !== undefined && observationsText.bulkDone(count(progress.done), count(progress.all))}
          {progress !== undefined && progress.failed > 0 && observationsText.bulkFailed(count(progress.failed), progress.why)}{' '}
          {remove.error?.message}
        </span>
      </div>
    </Section>
  )
}
