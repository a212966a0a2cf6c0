/**
 * The messages that the server has not confirmed yet, in the order in which they were written.
 *
 * They outlive lost connections and reloads. Their id makes sending one twice the same as sending it once. Their images are kept
 * elsewhere: none is sent before it has all of them again, and one that lost them not before somebody says so.
 *
 * All windows of the page have the same messages, so that one that is closed leaves nothing unsent. Only those with images stay
 * with the window that has these.
 */

import type { ImageStore } from "../compose/image-store";
import { KeptTexts, type StoreEvents, type TextStore } from "../compose/kept-text";
import type { ClientMessageId, Delivery, SessionId } from "../contract";
import { WindowLocks } from "./window-locks";

/** By message. */
const SENT = "sent ";

export type Outgoing = {
  sessionId: SessionId;
  clientMessageId: ClientMessageId;
  content: string;
  /** When it was written, in milliseconds. */
  writtenAt: number;
  /** After what runs, unless it says otherwise. */
  delivery?: Delivery;
  /** The images that belong to it. */
  imageNames?: string[];
  /** Whether it was handed to the server, which may have it: then it cannot be taken back or changed here. */
  isTried?: boolean;
  /** Whether somebody changes it, here or in another window. A reload ends that, and so does closing that window. */
  isHeld?: boolean;
  /** Whether the browser knows that it is held: only then another window can wait for the end of that. */
  isLocked?: boolean;
};

export class Outbox {
  private readonly kept: KeptTexts;
  private readonly messages: Map<ClientMessageId, Outgoing>;
  private readonly images = new Map<ClientMessageId, File[]>();
  private readonly own = new Set<ClientMessageId>();
  /** Those whose images were looked for where they are kept. */
  private readonly sought = new Set<ClientMessageId>();

  constructor(
    store: TextStore,
    events?: StoreEvents,
    private readonly locks = new WindowLocks(),
    /** Without it images live as long as the page. */
    private readonly files?: Pick<ImageStore, "keep" | "find">,
  ) {
    this.kept = new KeptTexts("liminal-outbox ", store, events);
    const read = this.kept.entries().map(([, text]) => messageOf(text));
    const known = read.filter((message) => message !== undefined);
    this.messages = new Map(known.map((message) => [message.clientMessageId, unheld(message)]));
  }

  /** Calls when another window changed a message; `isGone` when it took it out. */
  follow(changed: (clientMessageId: ClientMessageId, isGone: boolean) => void): void {
    this.kept.follow((name) => {
      const message = messageOf(this.kept.get(name) ?? "");
      if (!message) this.forget(name);
      else if (this.messages.has(name) || this.isWhole(message)) this.messages.set(name, message);
      if (message?.isLocked) this.locks.whenFree(name, () => this.leftBehind(name, changed));
      changed(name, !message);
    });
  }

  /** Whoever changed a message has let go of it, or was closed over it: then it is sent as it was. */
  private leftBehind(name: ClientMessageId, changed: (name: ClientMessageId, isGone: boolean) => void): void {
    if (!this.messages.get(name)?.isHeld || this.locks.has(name)) return;
    this.hold(name, false);
    changed(name, false);
  }

  add(message: Outgoing, images: File[] = []): void {
    this.own.add(message.clientMessageId);
    if (images.length > 0) this.images.set(message.clientMessageId, images);
    this.keepImages(message, images);
    this.put(message);
  }

  /** Brings back the images of messages that were written before a reload, and calls for each whether it has them or not. */
  bringImages(brought: () => void): void {
    for (const message of this.messages.values()) {
      const { clientMessageId } = message;
      if (this.isWhole(message) || this.sought.has(clientMessageId)) continue;
      this.files?.find(SENT + clientMessageId, (images) => {
        this.sought.add(clientMessageId);
        if (images.length > 0 && this.messages.has(clientMessageId)) this.images.set(clientMessageId, images);
        brought();
      });
    }
  }

  /** Whether it was written in this window, since it was loaded. */
  isOwn({ clientMessageId }: Outgoing): boolean {
    return this.own.has(clientMessageId);
  }

  /** Takes a message out, whether the server has it or refused it. */
  take(clientMessageId: ClientMessageId): Outgoing | undefined {
    const message = this.messages.get(clientMessageId);
    if (message) this.keepImages(message, []);
    this.forget(clientMessageId);
    this.kept.delete(clientMessageId);
    return message;
  }

  /** Another text, or without the images that are lost. Changes nothing that the server may have. */
  change(clientMessageId: ClientMessageId, change: Pick<Partial<Outgoing>, "content" | "imageNames">): void {
    const message = this.messages.get(clientMessageId);
    if (!message) return;
    if (change.imageNames) this.keepImages(message, []);
    this.put({ ...message, ...change });
  }

  tried(clientMessageId: ClientMessageId): void {
    const message = this.messages.get(clientMessageId);
    if (message && !message.isTried) this.put({ ...message, isTried: true });
  }

  /** While somebody changes a message, neither it nor what comes after it is sent. */
  hold(clientMessageId: ClientMessageId, isHeld: boolean): void {
    const message = this.messages.get(clientMessageId);
    if (isHeld && message) this.locks.take(clientMessageId, () => this.locked(clientMessageId));
    else this.locks.letGo(clientMessageId);
    if (message && isHeld !== (message.isHeld === true))
      this.put(isHeld ? { ...message, isHeld } : unheld(message));
  }

  private locked(clientMessageId: ClientMessageId): void {
    const message = this.messages.get(clientMessageId);
    if (message?.isHeld && this.locks.has(clientMessageId)) this.put({ ...message, isLocked: true });
  }

  imagesOf(clientMessageId: ClientMessageId): File[] {
    return this.images.get(clientMessageId) ?? [];
  }

  /** Whether its images went with a reload. */
  lacksImages(message: Outgoing): boolean {
    return !this.isWhole(message) && (!this.files || this.sought.has(message.clientMessageId));
  }

  private isWhole({ clientMessageId, imageNames = [] }: Outgoing): boolean {
    return imageNames.length <= this.imagesOf(clientMessageId).length;
  }

  private keepImages({ clientMessageId, imageNames = [] }: Outgoing, images: File[]): void {
    if (imageNames.length > 0) this.files?.keep(SENT + clientMessageId, images);
  }

  all(): Outgoing[] {
    return [...this.messages.values()].sort((a, b) => a.writtenAt - b.writtenAt);
  }

  of(sessionId: SessionId | undefined): Outgoing[] {
    return this.all().filter((message) => message.sessionId === sessionId);
  }

  /** What can be sent now, of every session in its order. */
  sendable(): Outgoing[] {
    const stopped = new Set<SessionId>();
    return this.all().filter((message) => {
      if (message.isHeld || !this.isWhole(message)) stopped.add(message.sessionId);
      return !stopped.has(message.sessionId);
    });
  }

  private forget(clientMessageId: ClientMessageId): void {
    this.messages.delete(clientMessageId);
    this.images.delete(clientMessageId);
    this.own.delete(clientMessageId);
    this.locks.letGo(clientMessageId);
  }

  private put(message: Outgoing): void {
    this.messages.set(message.clientMessageId, message);
    this.kept.set(message.clientMessageId, JSON.stringify(message));
  }
}

function unheld({ isHeld: _, isLocked: __, ...message }: Outgoing): Outgoing {
  return message;
}

/** Storage may hold anything; what is no message of ours is not sent. */
function messageOf(text: string): Outgoing | undefined {
  try {
    const read = JSON.parse(text) as Partial<Outgoing>;
    const {
      sessionId,
      clientMessageId,
      content,
      writtenAt,
      delivery,
      imageNames,
      isTried,
      isHeld,
      isLocked,
    } = read;
    if (typeof sessionId !== "string" || typeof clientMessageId !== "string") return undefined;
    if (typeof content !== "string" || typeof writtenAt !== "number") return undefined;
    return {
      sessionId,
      clientMessageId,
      content,
      writtenAt,
      ...((delivery === "steer" || delivery === "interrupt") && { delivery }),
      ...(Array.isArray(imageNames) && { imageNames: imageNames.map(String) }),
      ...(isTried === true && { isTried }),
      ...(isHeld === true && { isHeld }),
      ...(isLocked === true && { isLocked }),
    };
  } catch {
    return undefined;
  }
}
