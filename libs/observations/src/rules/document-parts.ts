// Reads retrieved documents from attributes such as `retrieval.documents.0.document.content`, whose keys contain a path into the documents.
// The documents become the output if the span has no other output. The documents also stay in the metadata, so that queries can filter by
// them.
import { keyFlag } from '../span-view/vocabulary.ts'
import type { InputOutputRule } from './input-output-rule.ts'
import { writeRebuilt } from './nested-rebuild.ts'

export const documentParts: InputOutputRule = {
  name: 'documents of a retrieval',
  read(span) {
    if ((span.attributes.seenFlags & keyFlag.documentPart) === 0) return false
    span.input.clear()
    writeRebuilt(span.output.writer(), span, keyFlag.documentPart)
    span.output.written()
    span.explanation?.side('output')
    return true
  },
}
