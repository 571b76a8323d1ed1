/** A picture that a tool gave, as the server keeps it. */
export type Picture = { id: string; media_type: string; size?: number; width?: number; height?: number };

const scheme = "attachment:";

/** The id of the file that a part of a message points to; undefined for one that holds none. */
export function fileOf(part: { url?: string }): string | undefined {
  return part.url?.startsWith(scheme) ? part.url.slice(scheme.length) : undefined;
}

/** Where the content of a file lies. */
export const contentUrl = (id: string) => `/api/v1/attachments/${id}/content`;

/** True for what a page may show in place; the server gives everything else as a download. */
export const isShown = (mediaType: string | undefined) =>
  /^image\/(png|jpeg|gif|webp)$/.test(mediaType ?? "");
