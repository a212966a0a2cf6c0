/** Where images outlive a reload. What keeps them is fetched apart from the page, and asked in the order in which it is told. */
import { Later } from "../dom/later";

export type ImageStore = {
  /** No files means that nothing is to be kept any more. */
  keep(name: string, files: File[]): void;
  /** Calls with none where none are kept. */
  find(name: string, found: (files: File[]) => void): void;
  /** Calls with the name of what another window changed. */
  follow(changed: (name: string) => void): void;
};

export function imageStore(): ImageStore {
  const part = new Later(() => import("./kept-images"));
  return {
    keep: (name, files) => part.use(({ keepImages }) => void keepImages(name, files)),
    find: (name, found) => part.use(({ findImages }) => void findImages(name).then(found)),
    follow: (changed) => part.whenHere(({ followImages }) => followImages(changed)),
  };
}
