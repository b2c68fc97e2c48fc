// Made by npm run generate:sdk from the operations of the HTTP API. Do not edit.
export interface GetMediaResponse {
  mediaId: string
  contentType: string
  contentLength: number
  uploadedAt: string
  url: string
  urlExpiry: string
}

export interface GetMediaUploadUrlRequest {
  traceId?: string | undefined
  observationId?: string | undefined
  datasetId?: string | undefined
  datasetItemId?: string | undefined
  contentType: MediaContentType
  contentLength: number
  sha256Hash: string
  field: string
}

export interface GetMediaUploadUrlResponse {
  uploadUrl?: string | undefined
  mediaId: string
}

export const MediaContentType = {
  ImagePng: 'image/png',
  ImageJpeg: 'image/jpeg',
  ImageJpg: 'image/jpg',
  ImageWebp: 'image/webp',
  ImageGif: 'image/gif',
  ImageSvgXml: 'image/svg+xml',
  ImageTiff: 'image/tiff',
  ImageBmp: 'image/bmp',
  ImageAvif: 'image/avif',
  ImageHeic: 'image/heic',
  AudioMpeg: 'audio/mpeg',
  AudioMp3: 'audio/mp3',
  AudioWav: 'audio/wav',
  AudioOgg: 'audio/ogg',
  AudioOga: 'audio/oga',
  AudioAac: 'audio/aac',
  AudioMp4: 'audio/mp4',
  AudioFlac: 'audio/flac',
  AudioOpus: 'audio/opus',
  AudioWebm: 'audio/webm',
  VideoMp4: 'video/mp4',
  VideoWebm: 'video/webm',
  VideoOgg: 'video/ogg',
  VideoMpeg: 'video/mpeg',
  VideoQuicktime: 'video/quicktime',
  VideoXMsvideo: 'video/x-msvideo',
  VideoXMatroska: 'video/x-matroska',
  TextPlain: 'text/plain',
  TextHtml: 'text/html',
  TextCss: 'text/css',
  TextCsv: 'text/csv',
  TextMarkdown: 'text/markdown',
  TextXPython: 'text/x-python',
  ApplicationJavascript: 'application/javascript',
  TextXTypescript: 'text/x-typescript',
  ApplicationXYaml: 'application/x-yaml',
  ApplicationPdf: 'application/pdf',
  ApplicationMsword: 'application/msword',
  ApplicationMsExcel: 'application/vnd.ms-excel',
  ApplicationOpenxmlSpreadsheet: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  ApplicationZip: 'application/zip',
  ApplicationJson: 'application/json',
  ApplicationXml: 'application/xml',
  ApplicationOctetStream: 'application/octet-stream',
  ApplicationOpenxmlWord: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  ApplicationOpenxmlPresentation: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  ApplicationRtf: 'application/rtf',
  ApplicationXNdjson: 'application/x-ndjson',
  ApplicationParquet: 'application/vnd.apache.parquet',
  ApplicationGzip: 'application/gzip',
  ApplicationXTar: 'application/x-tar',
  ApplicationX7ZCompressed: 'application/x-7z-compressed',
} as const
export type MediaContentType = (typeof MediaContentType)[keyof typeof MediaContentType]

export interface PatchMediaBody {
  uploadedAt: string
  uploadHttpStatus: number
  uploadHttpError?: string | undefined
  uploadTimeMs?: number | undefined
}
