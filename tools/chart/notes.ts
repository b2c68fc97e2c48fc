// Renders the notes of an installation. Helm prints notes only if Helm is connected to a cluster. This module therefore copies the chart
// and moves the notes into a template of the copy. Helm can render this template without a cluster.
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { chartFolder, helm } from './helm.ts'

/** Copies the chart to the existing directory `copy`. */
export function copyWithNotes(copy: string): void {
  cpSync(chartFolder, copy, { recursive: true })
  const notes = readFileSync(join(chartFolder, 'templates/NOTES.txt'), 'utf8')
  rmSync(join(copy, 'templates/NOTES.txt'))
  writeFileSync(join(copy, 'templates/notes.yaml'), `{{- define "notes" }}${notes}{{ end -}}\nnotes: {{ include "notes" . | quote }}\n`)
}

export async function notesOf(copy: string, release: string, ...more: readonly string[]): Promise<string> {
  const template = ['template', release, copy, '--namespace', 'tracing', '--kube-version', '1.33.0']
  const { ok, output } = await helm(...template, '--show-only', 'templates/notes.yaml', ...more)
  if (!ok) throw new Error(output)
  return (parse(output) as { readonly notes: string }).notes
}
