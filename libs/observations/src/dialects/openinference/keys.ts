// The MIME types of input and output are dropped, because the type can be recognized from the input and output themselves.
import { declareKeys } from '../../span-view/keys.ts'

export const openinferenceKeys = declareKeys({
  content: [
    'llm.input_messages',
    'llm.output_messages',
    'input.value',
    'output.value',
    'reranker.query',
    'retrieval.documents',
    'reranker.output_documents',
  ],
  moved: ['input.mime_type', 'output.mime_type'],
  kept: [
    'metadata',
    'openinference.span.kind',
    'tag.tags',
    'llm.model_name',
    'embedding.model_name',
    'reranker.model_name',
    'llm.invocation_parameters',
    'llm.tools',
    'embedding.invocation_parameters',
  ],
})
